"""The words of column names, in seven languages, and what they say of a column."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Collection


def _list(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words of English, German, French, Spanish, Italian, Portuguese and Dutch, without accents.
NAMES_A_PERSON = _list("""
    ssn socialsecurity nationalinsurance nino sin curp rfc dni nie nif cpf cnpj bsn ahv codicefiscale
    steuerid email mail correo courriel phone telephone telefon telefono telefone telefoon mobile handy
    fax passport passeport pasaporte passaporto reisepass ausweis license licence fuhrerschein plate
    kennzeichen iban accountnumber kontonummer creditcard cardnumber mrn medicalrecord patientid
    versichertennummer firstname lastname maiden surname forename fullname givenname familyname middlename
    maidenname vorname nachname familienname prenom nom nombre apellido apellidos cognome voornaam
    achternaam username login ipaddress macaddress imei deviceid uuid guid street strasse rue calle
    straat fingerprint
""")
MAY_NAME_A_PERSON = _list("""
    id key number nummer numero num nr no code name naam nome address adresse direccion indirizzo
    endereco adres identifier ident record account person patient customer client employee member user
    url link photo ip
""")
KNOWN_OF_PEOPLE = _list("""
    zip zipcode postcode postal postleitzahl plz codepostal codigopostal cap cep postnummer city town village
    municipality ort stadt gemeinde ville ciudad citta cidade gemeente plaats county district region state province
    provincia bundesland kanton departement country land pays pais paese nation nationality nationalitat citizenship
    native born birth birthday birthdate dob yob geburt geburtsdatum naissance nacimiento nascita nascimento
    geboorte age alter edad eta idade leeftijd sex gender geschlecht sexe sexo sesso geslacht race ethnicity ethnic
    ethnie raza razza raca herkunft marital civilstatus familienstand zivilstand etatcivil estadocivil statocivile
    burgerlijke education degree school bildung schulabschluss etudes educacion istruzione escolaridade opleiding
    occupation job profession beruf metier empleo ocupacion professione profissao beroep employer workclass industry
    department household family children dependents kinder relationship language sprache langue idioma lingua taal
    height groesse weight gewicht admission discharge visit aufnahme entlassung year jahr date datum fecha latitude
    longitude lat lon lng zone location neighborhood neighbourhood educ edu schooling college university graduate
    married marriage spouse husband wife partner widowed divorced unmarried civil citizen citizens female male man
    men woman women hispanic latino hisp black white asian ancestry foreign immigrant immigration migrant urban
    rural suburb suburban smsa borough precinct ward center centre site hospital clinic team position rank seniority
    tenure sector discipline employment employed unemployed retired retirement retiree selfemployed commute military
    veteran senior kids kid sibling siblings brother sister father mother parent parents grandparents population
    experience exper yrs lang datetime month week day quarter weekday monat woche tag mois semaine mes semana mese
    settimana hours hrs tall parity gravida grandmother pclass cohort yearofbirth agegroup ageband mothereduc
    fathereduc momed daded homeowner homeownership ownership housing owner renter tenant hire hired birthplace
    birthorder twins twin landlord beds rooms vehicle vehicles child childs ht wt ed schl occ occup hamlet ethn
    nationalities mature onset left handed handedness adopted adult adults minor minors pensioner student staff role
    title major faculty campus semester term
""")
SECRET = _list("""
    salary wage income pay earnings gehalt lohn einkommen verdienst salaire revenu salario sueldo ingresos ingreso
    stipendio reddito renda inkomen salaris tax steuer impot impuesto imposta imposto belasting capital wealth debt
    schulden credit loan balance score rating disease diagnosis diagnose diagnostic diagnostico diagnosi illness
    condition krankheit maladie enfermedad malattia doenca ziekte icd symptom treatment therapy therapie medication
    drug medikament procedure hiv aids cancer disability behinderung handicap pregnancy pregnant allergy bmi
    bloodtype glucose cholesterol mental religion faith konfession religione religiao godsdienst party vote voting
    politics politik union gewerkschaft orientation sexuality crime criminal offence offense conviction arrest
    straftat incident grade marks merit points test result outcome complaint insurance claim genome genotype amount
    betrag montant importe monto importo bedrag bonus pension rente mortgage savings assets dividend alimony expense
    spending bill cost kosten cout coste costo agi fica inc event events censored cured cure death died dead alive
    survived survival survive relapse recurrence recurrent progression tumor tumour node nodes lesion lesions ulcer
    ulcers ulceration biopsy surgery surgical operation metastasis treat treated trt rx arm dose dosage steroid
    steroids placebo randomized infection infected infect bleeding bleed fever pain temp temperature blood pressure
    bp sbp dbp systolic diastolic pulse heart cardiac chol hdl ldl triglycerides bili bilirubin albumin platelet
    platelets protime creatinine creat hemoglobin haemoglobin hgb insulin ast alt alk phos wbc rbc psa sodium
    potassium urea ascites edema hepatomegaly hepato liver kidney renal lung stroke diabetes diabetic hypertension
    asthma depression depressed anxiety stress smoke smoker smoking smokes smoked cigarette cigarettes cigs tobacco
    alcohol alcoholic drink drinks drinking drinker drugs heroin cocaine marijuana addiction substance chronic
    health healthy fitness sleep exercise diet obese obesity waist sexual condom contraceptive contraception weapon
    suicide felon felony priors parole paroled prison prisoner jail inmate sentence sentenced charges charged search
    searched arrested citation injury injured injuries murder victim homicide violent violence churn churned
    contract subscription payment payments charge default defaulted delinq delinquent delinquency inquiry inquiries
    inq utilization util funded fund price fee fees rent purchase purchases spent revenue expenses balances bankrupt
    bankruptcy loans satisfaction satisfied performance attitude opinion trust belief approve approval ideology
    democrat republican liberal conservative voted voter religious religiosity religiousness church affair affairs
    happy happiness callback promoted promotion fired layoff attrition iq ability intelligence aptitude reading math
    sat gpa exam exams quiz released bail improved improvement symptoms adverse toxicity reaction gestation
    gestational birthweight bwt apgar hospitalized hospitalization hospitalizations stay medicaid medicare insured
    uninsured welfare benefits foodstamps homeless abuse radiotherapy radiation chemo chemotherapy hormone hormonal
    menopause thickness therapies doctor futime followup duration durat comorbidity comorbidities complication
    complications admitted icu ventilation vaccine vaccinated vaccination covid virus positive expenditure wealthy
    poverty poor earn offences mood fatigue vision hearing prescription prescriptions worried worry stigma
    discrimination bullied bullying visits emergency utilities note notiz notizen remark comment bemerkung kommentar
    anmerkung commentaire remarque comentario observacion observacao commento nota opmerking freetext freitext memo
    message narrative anamnese gained premature premie preterm habit diag diagnosed meno menopausal postmenopausal
    cough throat nausea vomiting literacy angina hosp exer exercises takeup risk ploidy gleason er pgr hourly
    salaries rinc prestige gene mutation allele antibody antibodies cd4 viral malaria tuberculosis tb hepatitis
    sepsis wound fracture trauma disorder syndrome rash headache migraine dementia memory cognition cognitive mmse
    phq gad audit selfesteem esteem lonely loneliness neuroticism extraversion openness conscientiousness
    agreeableness partners intercourse porn cheating steal stole fight fights gun guns drunk vape
    vaping overweight underweight calories carbs vitamin supplement medicine medicines pills painkiller opioid
    opioids aspirin ecg ekg troponin lactate spo2 oxygen saturation respiratory breathing copd crp ferritin inr
    apache sofa gcs asa mallampati extubation intubation intubated anesthesia transplant graft donor recipient
    rejection dialysis catheter stent catheterization angioplasty
""")

PERHAPS_SECRET = _list("""
    status response level rate active limit control grade stage class scale index
    measure baseline change history severity risk use used usage force citations self service services plan
""")
"""Words for what people may keep to themselves, unless another word of the name says what is known of them."""


CODED = _list("""
    sex gender geschlecht sexe sexo sesso geslacht race ethnicity ethnic ethnie raza razza raca hispanic marital
    civilstatus familienstand region state province county district department country nation nationality citizenship
    occupation job profession beruf industry workclass language religion faith konfession relationship party diagnosis
    type kind class category group center centre site race religious union
""")
"""Words for what has no size: whole numbers that stand for it are codes."""

STAYS_WITH_A_PERSON = _list("""
    sex gender geschlecht sexe sexo sesso geslacht birth birthday birthdate dob yob geburt geburtsdatum naissance
    nacimiento nascita nascimento geboorte race ethnicity ethnic ethnie raza razza raca native born female male
""")
"""Words for what is the same in all rows of a person, and differs between people of one place or household."""


TELLS_PEOPLE_APART = _list("""
    ssn socialsecurity nationalinsurance nino curp rfc dni nie nif cpf bsn ahv codicefiscale steuerid email mail
    passport passeport pasaporte passaporto mrn medicalrecord patientid versichertennummer username login pid
""")
"""Words for what two people never share; a name or a street they may."""
_PEOPLE = _list("""
    person patient customer client employee member user subject participant respondent student pupil beneficiary
    insured applicant citizen resident worker kunde kunden mitglied teilnehmer versicherte versicherten schuler
    personne client adherent cliente persona paciente empleado persoon klant pessoa paziente
""")
_NUMBERS = _list("id key number nummer numero num nr no code identifier ident pseudonym hash uid")


ROWS_EACH = 20
"""A column with more rows for each value, and a name that does not say so, does not tell people apart."""
QUALIFIERS = _list("""
    annual monthly weekly daily total gross net average mean max min last first current previous main other own home
    work birth place fed federal local national public private family household personal medical social brutto netto
    haupt neben wohn arbeits monats jahres familien gesamt eigen cat category grp group band num number real log ln
    yr low lo high hi pre post op intra mom dad my m f d recode code level type stat status size calc n
""")
"""Words that say nothing alone, but with which others are run together."""


def word_in(name: str, words: Collection[str]) -> str | None:
    """Return the word of a list that a column name speaks, or None; a part of a word is not one.

    Examples
    --------
    >>> word_in("ZIP_Code", KNOWN_OF_PEOPLE), word_in("Geburtsdatum", KNOWN_OF_PEOPLE)
    ('zipcode', 'geburtsdatum')
    >>> word_in("package", ["age"]) is None
    True
    """
    return next((word for word in _spoken(name) if word in words), None)


@functools.lru_cache(10_000)
def _spoken(name: str) -> tuple[str, ...]:
    """Return all that a column name may speak: its words together, in pairs, each, and those they consist of."""
    tokens = _words(name)
    pairs = [first + second for first, second in itertools.pairwise(tokens)]
    parts = [part for token in tokens for part in divided(token)]
    return ("".join(tokens), *pairs, *tokens, *parts)


def person_in(name: str) -> str | None:
    """Return what in a column name says that its values tell people apart, or None.

    Examples
    --------
    >>> person_in("patient_id"), person_in("CustomerNumber"), person_in("id"), person_in("street"), person_in("code")
    ('patientid', 'customer number', 'id', None, None)
    """
    tokens = _words(name)
    if tokens == ("id",):
        return "id"
    whose = [token for token in tokens if token in _PEOPLE or token.removesuffix("s") in _PEOPLE]
    numbers = [token for token in tokens if token in _NUMBERS]
    return word_in(name, TELLS_PEOPLE_APART) or (f"{whose[0]} {numbers[0]}" if whose and numbers else None)


def people_in(name: str) -> str | None:
    """Return the word for people that is all of a column name, or None: their numbers may be in it, or a yes and no.

    Examples
    --------
    >>> people_in("Patient"), people_in("customers"), people_in("patient_age")
    ('patient', 'customers', None)
    """
    tokens = _words(name)
    alone = len(tokens) == 1 and (tokens[0] in _PEOPLE or tokens[0].removesuffix("s") in _PEOPLE)
    return tokens[0] if alone else None


def name_words(name: str) -> list[str]:
    """Return the words of a column name, small and without accents.

    Examples
    --------
    >>> name_words("dateOfBirth"), name_words("Código postal"), name_words("ZIP2020")
    (['date', 'of', 'birth'], ['codigo', 'postal'], ['zip'])
    """
    return list(_words(name))


@functools.lru_cache(10_000)
def _words(name: str) -> tuple[str, ...]:
    plain = name
    if not name.isascii():
        plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
        plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", plain))


@functools.lru_cache(10_000)
def divided(token: str) -> tuple[str, ...]:
    """Return the known words of which a token consists without rest, as few as possible; none if it does not.

    Examples
    --------
    >>> divided("statetax"), divided("incomes"), divided("jahreseinkommen"), divided("package")
    (('state', 'tax'), ('income',), ('jahres', 'einkommen'), ())
    """
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(1, len(token) + 1):
        for start in range(max(0, end - _LONGEST), end):
            if start in best and (known := _without_ending(token[start:end])) is not None:
                found = (*best[start], known)
                if end not in best or len(found) < len(best[end]):
                    best[end] = found
    return best.get(len(token), ())


def _without_ending(word: str) -> str | None:
    """Return the known word that this one is, or is but for the ending of a plural or a compound."""
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if len(stem) + len(ending) == len(word) and stem in _known():
            return stem
    return None


@functools.cache
def _known() -> frozenset[str]:
    return NAMES_A_PERSON | MAY_NAME_A_PERSON | KNOWN_OF_PEOPLE | SECRET | PERHAPS_SECRET | QUALIFIERS


_ENDINGS = ("", "s", "es", "n", "en", "er")
_LONGEST = max(map(len, _known())) + max(map(len, _ENDINGS))
