//! The words that invented people, places and firms are made of. No list is taken from elsewhere, and no corpus holds
//! more than these, numbers and random signs.

/// First names.
pub const FIRST: &str = "Ada Adela Alder Alma Ambrose Anselm Ansel Arden Astrid Aubrey Averil Barnaby Basil Beatrix \
    Bertram Blythe Briar Brindley Bruno Calla Caspar Cecily Cedric Celeste Clemence Clover Conrad Cordelia Corwin \
    Cosima Crispin Cyrus Daphne Delphine Dorian Dorothea Drusilla Edgar Edith Effie Eldon Eleanor Elias Eloise Elspeth \
    Emeric Enid Esme Ewan Fabian Fenella Fergus Flora Florian Freya Gareth Gideon Giles Greta Griffin Gwendolen Hadley \
    Hale Harriet Hector Hester Hollis Honora Horace Hugo Ida Ignatius Imogen Ingrid Iris Isidore Isolde Ivo Jasper \
    Jemima Jocelyn Jonas Josepha Juniper Kestrel Lambert Larkin Laurel Leander Leopold Linnet Lorcan Lorna Lucius \
    Ludovic Lysander Mabel Magnus Maren Marius Marjory Matilda Maud Merrick Milo Minerva Miriam Mordecai Muriel Nadia \
    Nell Nestor Nigella Ninian Norbert Octavia Odette Olwen Orla Orson Osbert Oswin Otto Pascal Percival Perdita \
    Petra Philippa Phineas Piers Primrose Quentin Quilla Ragna Rafferty Ramona Reuben Rhoda Roderick Romilly Rosalind \
    Rowan Rufus Sabine Saoirse Selwyn Seraphina Sidonie Sigrid Silas Sorrel Sybil Tabitha Tamsin Thaddeus Theodora \
    Tobias Ulric Una Ursula Valentine Verity Vesper Viola Walburga Wilfred Willa Winifred Xanthe Yarrow Yolanda \
    Zachary Zelda Zenobia";

/// Surnames.
pub const LAST: &str = "Abernethy Ackroyd Aldous Applegarth Arkwright Ashdown Attwater Babbage Bainbridge Barleycorn \
    Beckwith Bellweather Birtwistle Blackwood Bramwell Brightwater Brindle Broadbent Buckthorn Burdock Calloway \
    Cartwright Catchpole Chalcott Cheswick Clutterbuck Cobblestone Coldstream Copperfield Crabtree Cranshaw Croft \
    Crosswell Dalrymple Darkwater Daventry Dewhurst Dovecote Drinkwater Dunmore Eastlake Eddington Elderberry Ellwood \
    Fairweather Falconer Farthing Featherstone Fernsby Fiddler Finchley Fircroft Fletcher Foxglove Frobisher Gadsby \
    Gantry Garrick Gillyflower Glasswell Goldfinch Goodfellow Gossamer Grantham Greenhalgh Greywell Hackett Halloway \
    Hargreave Harkness Hawksworth Hazelrigg Heatherly Hemlock Hobday Hollowell Honeychurch Hornblower Inchbald \
    Ironside Jellicoe Jessamy Kettlewell Kingfisher Kirkbride Lacewing Ladbroke Larkspur Leadbetter Lightfoot \
    Lindqvist Lockridge Longbottom Lovelace Mallory Marchbanks Marlowe Mayhew Meadowcroft Merriman Merryweather \
    Millstone Montrose Moorcroft Mossgrove Nethercott Nettlefold Nightingale Norwell Oakenshaw Oldcastle Orchard \
    Osgood Otterburn Overbury Oxenham Paddock Pargeter Partridge Peacock Pemberton Penhallow Peppercorn Pettigrew \
    Pickering Pinkerton Plumtree Poppleton Prendergast Quarrington Quickly Quillfeather Ramsbottom Ravenhill Redfern \
    Rivers Rookwood Rosewarne Rushbrook Saltmarsh Sandalwood Scattergood Sedgewick Shackleton Silverthorn Skylark \
    Snowdon Somerled Sparrow Spindle Springett Starling Stillwater Stockwell Summerhayes Swallow Tanglewood Tattersall \
    Tenterden Thackeray Thistlewood Thornbury Threadgold Tidewell Tollemache Treadaway Trelawney Truelove Turnbull \
    Underhill Upjohn Venables Vickery Wainwright Waterhouse Weatherby Wetherell Whistler Whitlock Wildgoose Willoughby \
    Winterbourne Wintergreen Woodruff Wren Yardley Yellowlees";

/// States; a corpus of fewer people has fewer of them.
pub const STATES: &str = "Aldmere Ambleside Arrandale Bellmoor Bracken Brackwater Calder Carrowmore Cindermoor Corrin \
    Dawnmere Deepwater Dunhollow Eastfell Ebonvale Elmshire Everholt Fallowmere Farrowmark Fennimore Gallowmere \
    Glenhaven Greymarch Harrowdale Hartland Highmoor Invermark Islemark Kelland Kestrelmoor Lakemark Lindenreach \
    Lowmark Marlshire Midvale Morrowind Northmere Oakmark Orrindale Penmoor Quillshire Ravenmark Redmoor Saltreach \
    Silverdale Southfell Stonemark Thornreach Westmark Wyrdale";

/// What towns begin with.
pub const TOWN: &str = "Alder Amber Ash Barley Birch Bramble Bridge Bright Cedar Clay Copper Crane Crow Dove Elder Elm \
    Fern Flint Fox Frost Gold Gorse Hare Hawk Hazel Heron Holly Iron Ivy Kelp Lark Linden Maple Marsh Mill Moss Oak \
    Otter Peat Pine Plum Quarry Rain Reed Rook Rose Rush Salt Sand Shell Slate Sparrow Stone Swan Thistle Thorn Wheat \
    Willow Wind Wolf";
/// What towns end with.
pub const PLACE: &str = "bridge bury cross fall ferry field ford gate ham haven hollow mouth port stead ton wick well";
/// What streets are called, and which kinds there are.
pub const STREET: &str = "Lane Street Row Close Quay Rise Walk Green Hill Court Mews Parade Passage Terrace";

/// What firms are named after.
pub const FIRM: &str = "Anchor Argent Aurora Badger Beacon Bellbird Bluegate Brightwheel Candle Chalk Cinder Cobalt \
    Compass Cormorant Curlew Dapple Drumlin Ember Falcon Ferryman Firefly Foundry Gable Gannet Greywether Halcyon \
    Hammer Harbour Harrier Hearth Hedgerow Inkwell Juniper Karst Kittiwake Lantern Lodestar Loom Magpie Marigold \
    Meridian Millrace Mooring Nimbus Northlight Oriel Osprey Ostrander Parchment Pennant Petrel Pinnace Plover \
    Quicksilver Rampart Redshank Rudder Saffron Sandpiper Sextant Shale Shearwater Skipper Sluice Spindrift Sundial \
    Tallow Tamarind Tempest Tern Thimble Tinder Trellis Tumbler Turnstone Umber Vela Vellum Verdigris Wayfarer \
    Weathervane Whimbrel Wicker Windlass Yarrow Zephyr";
/// What employers do.
pub const TRADE: &str = "Foods Mills Optics Textiles Logistics Press Instruments Robotics Pottery Timber Energy Games \
    Shipyards Clockworks Bakeries Pharma Records Gardens Software Ceramics";
/// What insurers are called after their first word.
pub const INSURER: &str = "Mutual Assurance Life Underwriters Indemnity Surety";
/// What makers of vehicles are called after their first word.
pub const MOTOR: &str = "Motors Works Autos Carriage Wagon Coachworks";
/// The legal forms of firms.
pub const FORM: &str = "Ltd LLC Inc PLC Group";

/// Job titles, between commas since some are several words.
pub const JOBS: &str = "Archivist,Bell founder,Beekeeper,Boat builder,Bookbinder,Brewer,Bridge engineer,Canal warden,\
    Cartographer,Cheese grader,Clerk of works,Clockmaker,Cooper,Crane operator,Dyer,Editor of maps,Ferry pilot,\
    Forester,Fruit grower,Gardener,Glazier,Harbour master,Hat maker,Herald,Hydrologist,Ice cutter,Instrument tuner,\
    Joiner,Kiln operator,Lamp fitter,Lens grinder,Librarian,Lighthouse keeper,Locksmith,Mast rigger,Meteorologist,\
    Miller,Net mender,Notary,Orchardist,Paper maker,Pattern cutter,Pharmacist,Potter,Printer,Quarry surveyor,\
    Rope inspector,Sail cutter,Salt panner,Signal keeper,Stonemason,Surveyor of roads,Tailor,Tea taster,Thatcher,\
    Tile setter,Toy designer,Translator,Upholsterer,Weaver,Wheelwright,Engineer of mines";

/// Who issues cards; the first two do so twice as often as each other one.
pub const PROVIDERS: &str = "Northern Cross 16 digit,Pavilion 16 digit,Pavilion 13 digit,Pavilion 19 digit,\
    Northern Cross 15 digit,Ledgerline,Harbour Express,Maestral,Twin Keys,Table Club / Carte Verte";
/// Kinds of policy.
pub const POLICIES: &str = "Home Auto Health Life";
/// Blood types.
pub const BLOOD: &str = "A+ A- B+ B- AB+ AB- O+ O-";
/// Conditions; the last one says that there is none, and is no group.
pub const CONDITIONS: &str = "Asthma Diabetes Allergy Hypertension None";

/// Kinds of pet.
pub const SPECIES: &str = "Dog Fish Bird Cat Rabbit";
/// Breeds.
pub const BREEDS: &str = "Mixed Purebred Unknown";
/// Pets' names.
pub const PET: &str = "Acorn Apricot Bandit Biscuit Bobbin Bramble Bubble Button Caramel Chestnut Cinnamon Clove Cobweb \
    Comet Cricket Crumpet Custard Dandelion Domino Doodle Dumpling Fennel Feather Fidget Fudge Ginger Gizmo Hazelnut \
    Honey Inky Jigsaw Juno Kipper Kiwi Lentil Licorice Marble Marzipan Mittens Mochi Muffin Mustard Noodle Nutmeg \
    Oatmeal Olive Paprika Parsley Patches Peanut Pebble Pepper Pickle Pippin Plum Pocket Pretzel Pudding Pumpkin \
    Puzzle Radish Raisin Ripple Rocket Sage Scout Smudge Snowball Socks Sprocket Sprout Teasel Thimble Toffee Truffle \
    Turnip Waffle Whisk Widget Ziggy";
/// What some pets have before their name.
pub const STYLE: &str = "Admiral Baron Captain Colonel Count Duchess Lady Little Lord Madam Mister Old Professor Queen";

/// Colours, which models of vehicles are named by.
pub const COLOURS: &str = "Amber Azure Beige Bronze Cerise Charcoal Cobalt Copper Coral Cream Crimson Cyan Ebony Ecru \
    Emerald Fawn Fuchsia Gold Indigo Ivory Jade Khaki Lavender Lemon Lilac Lime Magenta Maroon Mauve Mint Navy Ochre \
    Olive Opal Orchid Peach Pearl Pewter Plum Puce Rose Ruby Russet Sable Saffron Salmon Scarlet Sepia Silver Slate \
    Tan Taupe Teal Topaz Umber Vermilion Violet White Yellow Zinc";

/// What user names are made of.
pub const USER: &str = "anvil apple arrow badge basil beetle berry blink cabin candle cedar cloud cobble coral daisy \
    dusk eagle echo ember fable fern finch flint frost garnet ginger glade hazel heron hollow indigo island ivory \
    jolly juniper kettle lagoon lantern lemon maple marble meadow mint nectar nettle oak ocean olive onyx otter \
    paper pebble pine plume quartz quill raven reed river rust sable saddle sail shell silver sparrow spruce stone \
    summer tango thistle timber topaz velvet violet walnut willow winter wren yonder zinc";

/// A list's words, in order.
pub fn words(list: &'static str) -> Vec<&'static str> {
    list.split_whitespace().collect()
}

/// The entries of a list with commas, in order.
pub fn entries(list: &'static str) -> Vec<&'static str> {
    list.split(',').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_list_says_a_word_twice() {
        for list in [FIRST, LAST, STATES, TOWN, PLACE, STREET, FIRM, TRADE, PET, STYLE, COLOURS, USER, BLOOD] {
            let all = words(list);
            let mut seen = BTreeSet::new();
            let twice: Vec<_> = all.iter().filter(|word| !seen.insert(**word)).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
        assert_eq!(words(STATES).len(), 50);
        assert!(entries(JOBS).iter().all(|job| job.trim() == *job), "{:?}", entries(JOBS));
    }
}
