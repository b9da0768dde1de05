// Plays a picture that has its own clock, step by step: back, play, pause, step, and how fast. It draws nothing itself.

const SPEEDS = [["0.5", "slow"], ["1", "usual speed"], ["2", "fast"], ["4", "very fast"]];

function made(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Returns the controls of a picture of so many steps; `moved` hears how many are done.
export function playing(picture, steps, { seconds, moved = () => {} }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0;
  let frame = 0;
  let on = false;

  const control = (name, text, props = {}) => made("button", { type: "button", "data-control": name, ...props }, text);
  const back = control("back", "◀ Back");
  const play = control("play", "▶ Play", { class: "primary" });
  const step = control("step", "Step ▶");
  const slider = made("input", { type: "range", min: 0, max: steps, step: 1, "data-control": "slider", "aria-label": "Moves done" });
  const speed = made("select", { "aria-label": "Speed", "data-control": "speed" }, ...SPEEDS.map(([factor, text]) => made("option", { value: factor }, text)));
  speed.value = "1";

  const seek = (place) => {
    picture.pauseAnimations();
    picture.setCurrentTime(place * seconds);
  };

  function show() {
    seek(at);
    slider.value = at;
    slider.setAttribute("aria-valuetext", `${at} of ${steps} moves`);
    back.disabled = at === 0;
    step.disabled = at === steps;
    play.disabled = steps === 0;
    play.textContent = on ? "❚❚ Pause" : at === steps && steps ? "↺ Again" : "▶ Play";
    moved(at, on);
  }

  function stop() {
    on = false;
    cancelAnimationFrame(frame);
  }

  function go(place) {
    stop();
    at = Math.max(0, Math.min(place, steps));
    show();
  }

  // Plays until `until`; where people asked for no motion, one state follows the other.
  function run(until) {
    let place = at;
    let last = performance.now();
    const tick = (now) => {
      const passed = Math.max(0, now - last); // a frame may have begun before it was asked for
      place = Math.min(until, place + (passed * Number(speed.value)) / 1000 / seconds);
      last = Math.max(last, now);
      if (Math.floor(place) !== at || place === until) {
        at = Math.floor(place);
        if (place === until) stop();
        show();
      } else if (!calm.matches) seek(place);
      if (place < until) frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  }

  function start() {
    if (at === steps) at = 0;
    on = true;
    show();
    run(steps);
  }

  back.addEventListener("click", () => go(at - 1));
  play.addEventListener("click", () => (on ? go(at) : start()));
  step.addEventListener("click", () => {
    stop();
    if (calm.matches) go(at + 1);
    else if (at < steps) run(at + 1);
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  queueMicrotask(show);
  const element = made("div", { class: "controls", role: "group", "aria-label": "Moves" }, back, play, step, slider, speed);
  return { element, go, stop };
}

// In a notebook: every picture that waits for its controls gets them.
for (const waiting of document.querySelectorAll(".tclose-playing:not([data-ready])")) {
  waiting.dataset.ready = "true";
  const { steps, seconds } = waiting.dataset;
  waiting.append(playing(waiting.querySelector("svg"), Number(steps), { seconds: Number(seconds) }).element);
}
