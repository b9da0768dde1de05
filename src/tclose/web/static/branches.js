// A tree as data: read from a policy, changed, and written back. A leaf is a value of the column, all else are groups.

const read = (below) => {
  if (Array.isArray(below)) return below.flatMap((leaf) => (leaf !== null && typeof leaf === "object" ? read(leaf) : [{ label: String(leaf), children: null }]));
  return Object.entries(below ?? {}).map(([label, inside]) => {
    const children = read(inside ?? []);
    return { label, children: children.length ? children : null };
  });
};

// Groups alone are an object; where leaves stand among them, or a key would lose its place, a list keeps the order.
const written = (children) => {
  const ordered = children.some((node) => !node.children || /^\d+$/.test(node.label));
  if (!ordered) return Object.fromEntries(children.map((node) => [node.label, written(node.children)]));
  return children.map((node) => (node.children ? { [node.label]: written(node.children) } : node.label));
};

export const branchesOf = (tree) => ({ label: Object.keys(tree)[0], children: read(Object.values(tree)[0]) });
export const treeOfBranches = (root) => ({ [root.label]: written(root.children) });
export const leavesBelow = (node) => (node.children ? node.children.reduce((sum, child) => sum + leavesBelow(child), 0) : 1);

// Every node with the groups above it, from the top on.
export function* walk(node, above = []) {
  for (const child of node.children ?? []) {
    yield { node: child, above: [...above, node] };
    yield* walk(child, [...above, node]);
  }
}

export const groupsOf = (root) => [root, ...[...walk(root)].map(({ node }) => node).filter((node) => node.children)];
const holds = (node, other) => node === other || [...walk(node)].some((each) => each.node === other);

// Groups that nothing is left in are gone.
function pruned(node) {
  node.children = node.children.filter((child) => !child.children || (pruned(child), child.children.length));
}

function taken(root, nodes) {
  for (const group of groupsOf(root)) group.children = group.children.filter((child) => !nodes.includes(child));
}

// Moves nodes into a group; says what is in the way, or nothing.
export function move(root, nodes, into) {
  const outer = nodes.filter((node) => !nodes.some((other) => other !== node && holds(other, node)));
  if (!outer.length || outer.some((node) => holds(node, into))) return "A group cannot be moved into itself.";
  const staying = into.children.filter((child) => !outer.includes(child));
  if (outer.some((node) => staying.some((child) => child.label === node.label))) return `${into.label} has one of that name already.`;
  taken(root, outer);
  into.children.push(...outer);
  pruned(root);
  return "";
}

// Puts nodes into a new group, where the first of them was.
export function group(root, nodes, label) {
  const { above } = [...walk(root)].find(({ node }) => node === nodes[0]);
  const place = above.at(-1);
  if (place.children.some((child) => child.label === label && !nodes.includes(child))) return `${place.label} has one of that name already.`;
  const made = { label, children: [] };
  place.children.splice(place.children.indexOf(nodes[0]), 0, made);
  const problem = move(root, nodes, made);
  if (problem) taken(root, [made]);
  return problem;
}

export function rename(root, node, label) {
  const { above } = [...walk(root)].find((each) => each.node === node);
  if (above.at(-1).children.some((child) => child !== node && child.label === label)) return `${above.at(-1).label} has one of that name already.`;
  node.label = label;
  return "";
}

// Takes a group away and leaves what was in it where it stood.
export function dissolve(root, node) {
  const { above } = [...walk(root)].find((each) => each.node === node);
  const place = above.at(-1);
  const others = place.children.filter((child) => child !== node);
  if (node.children.some((child) => others.some((other) => other.label === child.label))) return `${place.label} has one of that name already.`;
  place.children.splice(place.children.indexOf(node), 1, ...node.children);
  return "";
}
