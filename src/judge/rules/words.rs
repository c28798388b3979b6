//! The vocabulary of all rules, one list a purpose, lower case, words parted by spaces. Lists hold words of a language
//! and of the answering trade; never a name or a value of a corpus, so that they serve any suite.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

thread_local! {
    /// Each list that was asked for, cut into words once; lists are told apart by where they stand in memory.
    static CUT: RefCell<HashMap<(usize, usize), HashSet<&'static str>>> = RefCell::default();
}

/// `word` is in `list`.
pub fn has(list: &'static str, word: &str) -> bool {
    CUT.with_borrow_mut(|cut| {
        let words = cut.entry((list.as_ptr().addr(), list.len()));
        words.or_insert_with(|| list.split_ascii_whitespace().collect()).contains(word)
    })
}

/// A dot after these ends no sentence.
pub const ABBREVIATIONS: &str = "dr mr mrs ms mx prof rev hon sr st jr no nr vs approx ca etc e.g i.e jan feb mar \
    apr jun jul aug sep sept oct nov dec neg pos";

/// Stand before a name and don't belong to it.
pub const TITLES: &str = "dr mr mrs ms miss mx prof professor rev reverend sir dame madam hon captain capt lord \
    lady herr frau señor señora sr sra monsieur madame mme m signor signora";

/// Stand after a name and don't belong to it.
pub const SUFFIXES: &str = "phd md esq dds mba cpa rn";

/// A bracket that opens with one of these is part of the statement.
pub const REOPENS: &str =
    "or possibly maybe perhaps alternatively tied tie actually correction corrected oder o ou and";

/// Takes an earlier statement back, where it opens a clause.
pub const CORRECTS: &str = "actually wait correction corrected correct revised revision rather sorry oops scratch \
    instead updated recount recounting rechecking rechecked re-checking recalculated no nope hmm nein en-fait \
    strike edit amended really";

/// Open a clause that tells what was thought before.
pub const RETRACTS: &str = "initially originally previously formerly anfangs zuerst inicialmente";

/// Labels of what no longer stands, as in "old: 5, new: 6".
pub const OLD: &str = "old before wrong incorrect earlier previous draft";

/// Verbs that make `first …`, `at first …` or `earlier …` a story of the past.
pub const THOUGHT: &str = "said thought got guess guessed guessing answer answered considered counted had wrote \
    believed draft try attempt pass estimate figured assumed suspected came looked computed";

/// Negate what follows in their clause.
pub const NEGATES: &str = "not never neither nor cannot isnt wasnt arent dont doesnt didnt cant couldnt wont \
    wouldnt nicht kein keine keinen keineswegs pas ni ninguno nunca jamais nem non não nie unlike excluding except \
    exclude excludes excluded eliminating eliminated discarding discarded rejecting rejected";

/// Between a negation and what it negates these change nothing.
pub const THIN: &str = "the a an be is was it by to as that really actually necessarily answer der die das el la le \
    il lo es est ist é è of for in de mr mrs ms dr simply just even";

/// End the reach of a negation.
pub const TURNS: &str = "but sondern sino mais however instead although though because since so therefore thus \
    hence and yet pero aber mas ma while whereas";

/// Forms of to be, and signs like it, that part a subject from what is said of it.
pub const COPULAS: &str = "is are was were be being ist war es fue est était è é sind isn't wasn't aren't weren't";

/// Lead to a conclusion.
pub const CONCLUDES: &str = "so thus therefore hence ergo consequently accordingly conclusion conclude concluding \
    making also daher folglich donc luego entonces quindi portanto";

/// Say "more".
pub const MORE: &str = "more most higher highest larger largest greater greatest older oldest bigger biggest richer \
    richest wealthier wealthiest earlier earliest longer longest better best sooner soonest first top maximum max \
    newer newest mehr más più plus";

/// Say "less".
pub const LESS: &str = "fewer fewest less least lower lowest smaller smallest younger youngest later latest shorter \
    shortest poorer poorest worse worst minimum min weniger menos moins cheaper cheapest";

/// The subject wins over the object.
pub const BEATS: &str = "beats beat beating edges outranks outrank tops leads wins defeats outdoes bests trumps \
    prevails beating topping edging";

/// The subject has more than the object.
pub const EXCEEDS: &str =
    "> exceeds exceed outnumbers surpasses exceeding surpassing surpass outnumber outstrips outstrip";

/// Who is spoken of here is not the winner.
pub const LOSES: &str = "second runner-up runner runnerup loses lost lose loser trails trailing behind losing third";

/// Who is spoken of here is the winner.
pub const WINS: &str = "wins winner win winning prevails victorious ahead answer";

/// Small words and the trade's nouns: in capitals at the start of a sentence they are no part of a name.
pub const COMMON: &str = "a an the this that these those it its he she they we i you his her their our my your who \
    whom whose which what where when why how is are was were be been being am has have had having do does did done \
    can could will would shall should may might must of in on at to from by for with without about against between \
    among within into over under after before since until than then as if or and but nor so yet not no yes both \
    either neither each every all any some none one two three four five six seven eight nine ten only also just \
    still even there here because while whereas although though however therefore thus hence finally overall \
    ultimately initially originally first second third last next more most less least fewer fewest many much \
    several same equal tie tied top best total sum count number amount answer answers final result results \
    conclusion solution correct right wrong true false winner loser runner runner-up up down out off person people \
    resident residents owner owners name names candidate candidates individual man woman holder customer client \
    member user pet pets dog dogs cat cats bird birds fish rabbit rabbits vehicle vehicles car cars card cards \
    credit bank account accounts policy policies insurance internet medical record records employment employments \
    job jobs title salary salaries balance balances address addresses state states city cities country street date \
    birth blood type condition health home auto life plate license licence username email phone number id ids file \
    files corpus data dataset database table row rows line block step steps query question based looking checking \
    according given using comparing counting adding sorting searching following additionally owns own owned owning \
    holds hold held holding lives live lived living keeps keep kept works work worked working earns earn earned \
    makes make made gives give gave shares share shared belongs belong comes come came wins win won beats beat \
    leads lead exceeds ranks ranked ties goes go says say said shows show found find finds think believe guess said \
    meets meet matches match qualifies fits fit expires expire started starts start born drives drive richest \
    wealthiest oldest youngest highest lowest largest smallest earliest latest most-paid best-paid us usd eur \
    dollar dollars euro euros january february march april may june july august september october november december \
    monday tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec new \
    north south east west united states america american national ohio texas florida california privacy act \
    protection policy language model ai assistant large openai anthropic gdpr hipaa confidential personal \
    information sorry unfortunately please note system user developer source sources evidence confidence \
    explanation reasoning reason summary details analysis verification verified confirmed rationale therefore \
    meanwhile visa mastercard jcb discover maestro diners club express let hope thanks thank happy glad feel free \
    hello hi dear regards well ok okay sure actually wait correction edit updated revised maybe perhaps possibly \
    probably likely certainly definitely indeed alternatively otherwise instead rather unlike except via per etc \
    versus vs like such too very aus bei für zu zur zum dies diese dieser diesen daher leider ich wir sie mir uns \
    ihnen nach auf auch nur der die das den dem des ein eine einer ist war sind und oder nicht kein aber also daher \
    person besitzer besitzerin eigentümer eigentümerin antwort endgültige gesamt gesamtguthaben insgesamt hat haben \
    lautet name mit von im in herr frau fahrzeuge fahrzeug el la los las un una unos es son fue y o no pero sino \
    respuesta persona dueño dueña propietario propietaria tiene total final que con de del lo por más vehículos la \
    respuesta le les un une est sont et ou pas mais donc réponse personne propriétaire finale qui avec du au a l il \
    elle c'est il lo gli risposta è e o non ma quindi proprietario persona que a resposta o os as é são";

/// Of the common words, those that are surnames too, behind a given name; and those that are given names.
pub const SURNAMES_TOO: &str = "may west north south east best";
/// See [`SURNAMES_TOO`].
pub const GIVEN_NAMES_TOO: &str = "april june august jan will";

/// After a possessive name, these speak of another person.
pub const KIN: &str = "brother sister sibling wife husband spouse partner mother father son daughter child cousin \
    uncle aunt neighbor neighbour boss friend colleague coworker co-worker roommate landlord twin parent grandson \
    assistant rival employer manager supervisor secretary tenant doctor lawyer accountant teacher widow widower \
    fiancé fiancée namesake privacy";

/// Weigh one answer against another.
pub const HEDGES: &str = "or possibly maybe perhaps alternatively otherwise could might either oder ou o alternativ";

/// A number after these is a place, not an amount.
pub const LABELS: &str = "number step line block row page file question hop attempt section part chapter version \
    plate route table column item option record# note footnote figure phase stage query q schritt past record \
    code errno room";

/// A line that opens with one of these says goodbye or where the answer is from.
pub const CLOSING: &str = "let hope please thanks thank feel happy glad source sources note confidence verified \
    verification explanation reasoning evidence done end regards cheers checked confirmed method";

/// A line that opens with one of these and a colon tells how the answer was found.
pub const EXPLAINS: &str = "explanation explanations reasoning justification evidence details breakdown calculation \
    method methodology steps source sources why how working derivation verification proof basis";

/// May stand right beside a phrase without being a part of it.
pub const BESIDE: &str = "a an the is are was were be been as in with has have had of by called named from at to \
    for on into it its that this which who whose whom where so then therefore thus hence just only also likely \
    probably holds hold held owns own keeps keep lives live living works work worked working type types kind answer \
    answers final result it's he she they his her their there here if when because since while but than not n't can \
    could would should will may might does did do uses using type category value listed recorded registered known \
    born found gives shows says reads equals means yes no ok sure ist es est sind sein war als wie im am el la los \
    le les die der das ein eine un une una di da do dos en por comme como è é são lautet policy insurance job title \
    state county city country residents resident per according based rather";

/// The states of the USA, spelled out (hyphens for spaces) and by their letters.
pub const STATES: &str = "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia \
    hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota \
    mississippi missouri montana nebraska nevada new-hampshire new-jersey new-mexico new-york north-carolina \
    north-dakota ohio oklahoma oregon pennsylvania rhode-island south-carolina south-dakota tennessee texas utah \
    vermont virginia washington west-virginia wisconsin wyoming al ak az ar ca co ct de fl ga hi id il in ia ks ky \
    la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy";
