/* The words of the play: who speaks, what happens, and how it is said.
 *
 * A rule has a name and its options, with | between them. In an option, <name> stands for one of that rule's
 * options and / ends a verse line. Nouns and verbs are words that take a plain s.
 *
 * Some rules are set while the play goes on. For a play: thing, friend (who is missing: he, him, his). For an
 * act: news verse, news prose. For a scene: place, elsewhere, sky. For a speech: you (who is spoken to),
 * oath, image, habit (the speaker's own). For a couplet: rhyme, rhymed. */
#ifndef GRAMMAR_H
#define GRAMMAR_H
#include <stdbool.h>

typedef struct rule {
    const char *name, *options;
} rule;

/* Who speaks. Great people speak verse, the others prose. */
typedef struct person {
    const char *heading, *name, *called;
    bool is_woman, speaks_verse;
    const char *oath, *image, *habit;
} person;

static const person persons[] = {
    {"ALDOUS", "Aldous", "my lord|great Aldous|my lord Aldous", false, true,
     "By this crown|By our father's tomb", "winter|crown|throne|shadow|raven|candle",
     "We have been duke too long, and slept too little.|"
     "Our beard is white; our <noun>s are whiter still.|We are a <adj> <image>, and we know it.|"
     "Bring us a chair. The years are heavy <image>s.|We do command it, and we beg it too."},
    {"MAREN", "Maren", "my lady|sweet Maren|Maren", true, true,
     "By all the drowned|Now, by the moon and tide", "tide|anchor|sail|wave|gull|shore",
     "Is it so strange a thing to love the sea?|What would you have me do, and be, and say?|"
     "Was ever <image> so <adj> as my heart?|Who taught the <image> to <wait>? Who taught me so?|"
     "Am I a <image>, that I should only <wait>?"},
    {"ROWAN", "Rowan", "captain|brave Rowan|Rowan", false, true, "Now, by my sword|By drum and banner",
     "sword|banner|drum|shield|spur|trumpet",
     "My horse! My horse is saddled, and I wait!|Draw, then! My <image> is <adj>, but it is mine!|"
     "Let drums be <done>! Let <image>s <wait> with me!|I was not born to <wait> behind a wall!|"
     "One charge, one cry, one <adj> <image>: then home!"},
    {"XANTHE", "Xanthe", "madam|proud Xanthe|Xanthe", true, true, "By my mother's ring|As I was born a queen",
     "mirror|needle|jewel|falcon|serpent|glove",
     "I do not ask it twice. I never have.|Stand up. A queen is tired of seeing knees.|"
     "Fetch me my <image>, and leave the door ajar.|I have outlived three husbands and one war.|"
     "Speak low, speak plain, and look at me. Go on."},
    {"CORVIN", "Corvin", "master steward|good Corvin|Corvin", false, true,
     "On my poor honour|By lock and key", "spider|key|ladder|whisper|purse|mask",
     "If that be so, then something else is not.|If <image>s could speak, my lord, they would say less.|"
     "If I am <adj>, I am not <adj> as well.|I say no more; and saying it, say much.|"
     "If there be two, then one of them will sell."},
    {"OSWIN", "Oswin", "father|good friar|holy Oswin", false, true,
     "By the quiet saints|Heaven be my witness", "prayer|candle|pilgrim|vow|psalm|lamp",
     "Peace be upon this <noun>, and on us all.|Kneel, child, and let the <adj> <image> <wait>.|"
     "I keep a <image> for the dead, and one for you.|The saints are patient. Let us be so too.|"
     "Forgive, and be <done>, and be forgiven."},
    {"QUENTIN", "Quentin", "master poet|gentle Quentin|Quentin", false, true,
     "By rhyme and reason|By the nine bright sisters", "song|rhyme|lute|rose|star|quill",
     "I'll put it in a <image>, and it will <wait>.|That line was lame; I'll mend it in the morning.|"
     "A <image>, a <image>, my dukedom for a <image>!|I wrote as much in verses, long ago.|"
     "No word will rhyme with <friend>. I have tried."},
    {"HESTER", "Hester", "good widow|mother Hester|Hester", true, false, "By oar and rope|As the river runs",
     "oar|barge|reed|heron|eel|lantern",
     "My mother used to say, a <adj> <image> needs no <noun>.|"
     "I have ferried <number> dukes, and all of them were sick.|"
     "The river takes and the river brings, and it never says which.|"
     "Mind the step; it has drowned better <noun>s than you.|"
     "A <image> is a <image>, whoever pays for it."},
    {"BRAMBLE", "Bramble", "fool|good fool|Bramble", false, false, "By my cap and bells|By pudding and pie",
     "turnip|donkey|button|pudding|cheese|egg",
     "What is it that <wait>s all day and <verb>s all night? Why, a <image> in love.|"
     "I had a <image> once, but it was promoted.|Call me a <image>, and I shall call you uncle.|"
     "Here is a riddle: <number> <image>s went to court, and only one came back a <image>.|"
     "A fool may <verb> a <noun>, but it takes a wise man to lose it."},
    {"TIBBET", "Tibbet", "host|good Tibbet|mine host", true, false, "Zounds|By the slate on my wall",
     "tankard|barrel|guest|bill|onion|spoon",
     "That is <number> pence for the <image>, and <number> more for the <image>.|"
     "Not a <image> leaves my house until it is paid for.|"
     "I have <number> beds and <number> <image>s, and every one of them is full.|"
     "Credit is dead, sir; we buried it with my husband.|"
     "You may cry in my kitchen, but you shall pay for the onions."},
    {"WAT", "Wat", "miller|honest Wat|Wat", false, false, "By wheel and water|By flour and flood",
     "wheel|millstone|sack|weir|cog|saw",
     "The wheel turns, and I turn with it; that is all my learning.|"
     "A saw has a great many teeth, and never yet told a lie.|"
     "I grind for the duke and I grind for the poor, and the <image> knows no difference.|"
     "Put your ear to the <image>, and you will hear what the water thinks of us.|"
     "Grease it, I say; grease it, and let it <wait>."},
    {"JORY", "Jory", "boy|little Jory|Jory", false, false, "Please you|Upon my soul, which is a small one",
     "sparrow|apple|puddle|kite|pocket|marble",
     "I am only <number> years old, but I can count to <number>.|"
     "When I am a man I shall have <number> <image>s and a dog.|"
     "I saw it all, sir, for I was in the <image> cart.|"
     "Nobody asks the boy, and the boy knows everything.|"
     "May I hold the <image>? I will be ever so careful."},
    {"First Guard", "the first guard", "fellow|good soldier", false, false, "By my boots|Halt there",
     "halberd|helmet|gate|boot|whistle|lantern",
     "I stand where I am put.|It is cold work, and nobody thanks a <image>.|"
     "I heard a <image>, but I did not like to say so.|We are paid to look, not to see."},
    {"Second Guard", "the second guard", "fellow|good soldier", false, false, "By his boots|Who goes there",
     "halberd|helmet|gate|boot|whistle|lantern",
     "He stands where he is put, and I stand beside him.|What he said.|"
     "I thought it was a <image>, and then it sneezed.|Is it supper yet?"},
};

/* What each play is about. */
static const char *const things[] = {
    "the silver bell", "the king's letter",   "the widow's ring", "the frozen crown",
    "the black horse", "the ferry lantern",   "the salt map",     "the miller's axe",
    "the glass harp",  "the queen's thimble", "the jade knife",   "the iron key",
};
static const char *const kinds[] = {"THE TRAGEDY OF", "THE COMEDY OF", "THE HISTORY OF", "THE ROMANCE OF"};

static const char *const places[] = {
    "the tide mill",     "the salt road",       "the duke's hall", "the broken chapel",
    "the ferry landing", "the orchard",         "the north tower", "the market cross",
    "the sawyers' yard", "the inn at the ford", "the quarry",      "the harbour",
};

/* The hour of a scene, and what is in the sky then. */
static const rule hours[] = {
    {"dawn", "lark|morning|cold light|early mist"},   {"noon", "noon|high sun|white light|summer"},
    {"dusk", "swallow|evening|last light|red west"},  {"night", "moon|owl|darkness|midnight"},
    {"a storm", "thunder|tempest|storm|black cloud"}, {"snow", "north wind|snow|grey sky|ice"},
};

/* Words that rhyme: the first half of a couplet ends with one of `name`, the second with one of `options`. */
static const rule rhymes[] = {
    {"night|sight|fight", "light|knight|height"},
    {"day|bay|play", "way|clay|spray"},
    {"stone|throne", "bone|crone"},
    {"sea|tree|bee", "key|quay|plea"},
    {"mill|hill", "will|sill|chill"},
    {"flame|name", "blame|game|shame"},
    {"ground|sound", "hound|mound"},
    {"rain|plain", "chain|grain|lane"},
    {"dream|stream", "beam|seam|gleam"},
    {"door|shore", "oar|moor|war"},
};

static const rule grammar[] = {
    /* words */
    {"adj",
     "bitter|gentle|cold|hollow|golden|broken|patient|quiet|drowned|idle|ancient|proud|weary|silent|"
     "crooked|pale|bright|faithful|stubborn|narrow|jealous|lazy|secret|tender|wild|sober|empty|borrowed|"
     "frozen|simple"},
    {"noun",
     "heart|promise|oath|river|mountain|garden|grave|window|mother|brother|stranger|kingdom|stone|tear|"
     "name|road|sister|letter|table|morning|father|dream|bridge|mirror|lover|beggar|prince|fire|fault|"
     "question"},
    {"verb",
     "break|hold|mend|follow|forgive|remember|forget|betray|guard|wake|drown|burn|love|fear|keep|hide|"
     "weigh|count|crown|praise|know|steal|find|lose|trust|answer"},
    {"done",
     "broken|held|mended|followed|forgiven|remembered|forgotten|betrayed|guarded|woken|drowned|burned|"
     "loved|feared|kept|hidden|weighed|counted|crowned|praised|known|stolen|found|lost|trusted|answered"},
    {"wait", "sleep|wait|turn|fall|rise|sing|weep|wander|listen|tremble|return|shine|fade|kneel|linger|burn"},
    {"number", "two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|forty"},
    {"where", "under the weir|behind the altar|in the old oak|among the reeds|at the bottom of the well|"
              "by the north gate|in a sack of flour|on the ferry steps|beneath the bridge|"
              "in the queen's own chamber|beside the fire"},
    {"when", "at dawn|at noon|tonight|before the bell|within the hour|when the tide turns|tomorrow|"
             "at the next moon"},
    {"alas", "Alas|O heaven|Ah me|O cruel hour|Woe to us|Well-a-day|Out, alas"},

    /* verse, a line or two at a time */
    {"verse",
     "I have seen <adj> <image>s <wait> and <wait>,/And learned from them to <verb> a <adj> <noun>.|"
     "No <image> <verb>s the <noun> that loves it best.|The <noun> we <verb> today will <verb> us yet.|"
     "What is a <noun>? A <adj> <image>, no more.|There is a <image> within me that must <wait>.|"
     "So <wait>s the <image> when the <noun> is <done>.|"
     "Let every <noun> be <done>, let <image>s <wait>,/And let the <adj> <noun> <verb> the <noun>.|"
     "My heart is like a <image> that <wait>s alone.|Who <verb>s a <noun> shall <verb> his own one too.|"
     "O <adj> <image>, teach me how to <wait>!|I would not <verb> that <noun> for <thing>.|"
     "Between the <noun> and the <image> I <wait>,/And neither <verb>s me, and neither can be <done>.|"
     "As <image>s <wait> before a <adj> <noun>,/So do I <wait>, and so does <friend>, too.|"
     "Time is a <image> that no <noun> can <verb>.|Give me one <noun>, and I will <verb> the rest.|"
     "Though all the <noun>s of <place> should <wait>,/"
     "I'll <verb> the <noun> that <friend> left behind.|Not <adj>, nor <adj>, but <adj> is the <noun>.|"
     "We are but <image>s, <done> and soon forgot.|"
     "The <sky> <wait>s; the <adj> <noun> <wait>s; and I,/"
     "Who should have <done> them both, can only <wait>.|"
     "They say <thing> was <done> by <adj> hands;/I say the hand was <adj> that let it go.|"
     "The <sky> is <adj>, and <place> is still.|"
     "He that would <verb> the <noun> must first be <done>;/"
     "He that would <wait>, let him not <verb> the <noun>.|"
     "And yet, and yet: the <image> may <wait> again.|A <image> without a <noun> is but a <noun>.|"
     "When I was young I would not <verb> a <image>;/Now I am old, and every <image> <verb>s me.|"
     "Thus <image>s are <done>, and thus are <noun>s made.|"
     "I dreamed of <thing>, and woke, and it was <adj>.|"
     "O that the <noun> were <done>, and we were home!|"
     "Had I a <image>, I would <verb> the <noun>;/Having none, I <verb> the <sky> instead.|"
     "It was the <noun> I loved, and not the <image>.|Softly: the <noun>s of <elsewhere> can <wait>.|"
     "There was a <noun> once that would not <wait>;/They <verb> it now, and call it <adj> and wise.|"
     "The world is wide, and every <noun> is <adj>.|"
     "Show me the <image> that was never <done>,/And I will show you <noun>s that never <wait>.|"
     "I came to <verb> the <noun>, and not to <wait>.|What <image>s <verb>, let no <adj> <noun> <verb>.|"
     "Nothing is <adj> for ever, not the <image>,/Not the <sky>, not the <noun> we <verb> by night.|"
     "By <image> and by <noun> I make my vow:/To <verb>, to <wait>, and never to be <done>.|"
     "My <noun> is at <elsewhere>, and I am here.|"
     "Some <noun>s are <done> by grief, and some by <image>s.|"
     "How should I <verb> what I have never <done>?"},

    /* prose, a sentence at a time */
    {"prose", "I never knew a <image> that did not <wait> when it was <done>.|"
              "A <noun> is a <noun>, and you may <verb> it or <verb> it as you please.|"
              "There are <number> <image>s in my house, and not one of them can <verb> a <noun>.|"
              "Give me a <adj> <image> and a <adj> fire, and you may keep <thing>.|"
              "They say the <sky> <wait>s for <friend>, but I say it <wait>s for nobody.|"
              "If <image>s were <noun>s, we should all be dukes.|"
              "You may <verb> a <noun> with a <image>, but you must not <verb> it with two.|"
              "Here at <place> we <wait> when we are told, and <wait> again when we are not.|"
              "I would have <done> it myself, but my <image> was <adj>.|"
              "It was a <adj> <noun>, and it had a <adj> <image> in its hand.|"
              "The more I <verb> the <noun>, the less the <noun> will <verb> me.|"
              "I knew a man at <elsewhere> who <wait>s to this day, all for a <adj> <image>.|"
              "Great folk <verb> and small folk are <done>; it was ever so.|"
              "No <noun> ever came of a <image> that was <done> in the dark.|"
              "I ask you, what is a <noun> without a <image>?|"
              "My <image> is <adj>, my <noun> is <adj>, and I have had no supper.|"
              "There goes a <noun> with a <image> on its head, and they call me <adj>.|"
              "My uncle was <done> by a <image>, and he was never the same again.|"
              "Take a <image>, add a <noun>, stir it till it <wait>s, and you have the duke's whole army.|"
              "First we <verb>, then we <wait>, and then somebody sends the bill.|"
              "You can hear the <image>s <wait> at <elsewhere>, when the wind is right.|"
              "I have been <done> by better <noun>s than that.|"
              "Some say <adj> and some say <adj>; I say it is a <image>, and let it <wait>.|"
              "When the <sky> <wait>s, I put on my hat; when it does not, I take it off.|"
              "It is a long way to <elsewhere> with a <image> on your back.|"
              "A man who <verb>s his own <noun> will sooner or later <verb> yours.|"
              "I do not <verb> <image>s, and <image>s do not <verb> me, and so we live in peace.|"
              "Ask any <image> in the street, and it will tell you the <noun> is <adj>.|"
              "I lost a <noun> here once, and found <number>, and none of them was mine.|"
              "That is the trouble with a <noun>: it <wait>s, and you pay for it.|"
              "If you must <verb> something, <verb> the <image>, and leave my <noun> alone.|"
              "There is nothing so <adj> as a <image> before breakfast."},

    /* what a speech does; after each, what the next speech may do */
    {"open verse",
     "Here is <place>, and here the <sky> <wait>s.|This is <place>. How <adj> it looks, and how <adj>!|"
     "Is this <place>, where <friend> used to <wait>?|Stay, friends. The <sky> <wait>s upon <place>."},
    {"open prose", "Well, here we are at <place>, and not a <image> in sight.|"
                   "Come in, come in, and mind the <image>; <place> is <adj> today.|"
                   "So this is <place>. I had expected a <image> at the least."},
    {"after open", "ask|ask|news|muse|jest"},
    {"ask verse",
     "Where is <thing>? Who <verb>s it now, and why?|Tell me, <you>, what have you heard of <friend>?|"
     "Why do you <wait> so near <place>, <you>?|What says the <sky>, <you>? What says the <noun>?|"
     "Say, <you>, have you <done> the <adj> <noun>?|What <noun> is this? What <adj> <image> is here?|"
     "How long, <you>, must <friend> be <done>?|Who was it, then, that <wait>s <where>?"},
    {"ask prose",
     "What news of <thing>, <you>?|Now, <you>, where have you left <friend>?|"
     "<you>, are you <adj>, or only <adj>?|"
     "Did you see <friend> go by, <you>, with a <image> under <his> arm?|"
     "How many <image>s make a <noun>, <you>?|Shall we <verb> <him>, <you>, or shall we <wait>?"},
    {"after ask", "answer|answer|answer|muse"},
    {"answer verse",
     "I left it, <you>, <where>; and there it <wait>s.|<friend>? Why, <he> <wait>s <where>, they say.|"
     "I know no more, <you>, than <image>s know.|It was at <elsewhere>, and the <sky> was <adj>.|"
     "The <noun> you ask of has been <done>, <you>.|Ask <friend> that; for <he> alone can <verb>.|"
     "No, <you>. I have <done> it, and it is gone."},
    {"answer prose",
     "<oath>, I saw it <where>, as plain as a <image>.|"
     "<friend> went to <elsewhere> in the night, and took <number> <image>s with <him>.|"
     "I cannot tell, <you>; I was busy with the <image>.|"
     "Nobody told me, <you>, and I took care not to ask.|Yes, and no, and <number> times yes.|"
     "It is <where>, <you>, unless somebody has <done> it.|"
     "<he> is <adj>, <you>, and <he> sends you a <image>."},
    {"after answer", "ask|accuse|react|plan|muse|news|jest"},
    {"after news", "react|react|react|ask|accuse"},
    {"react verse",
     "<alas>! Then all our <noun>s are <done>.|<alas>! I felt the <image> <wait> ere you spoke.|"
     "<oath>, this is a <adj> <noun> indeed!|Can it be so? Then let the <sky> <wait>!|"
     "I thank you, <you>, though the <noun> is <adj>.|What, <done>? And <friend> too? Say it again."},
    {"react prose",
     "<oath>! That is worse than a <image> in the bed.|You do not say so, <you>! And on a <noun>, too!|"
     "I knew it. I said so to my <image> this very day.|"
     "<oath>, I must sit down. Is there a <image> to sit upon?|Then we are <done>, all <number> of us."},
    {"after react", "comfort|plan|ask|accuse|jest"},
    {"accuse verse",
     "You are the one who <verb>s what others <verb>!|You speak of <noun>s, <you>, and <verb> them all.|"
     "<oath>, you have <done> my <noun>, <you>!|"
     "There stands the <image> that would have <done> <thing>!|"
     "Look in my eyes, <you>, and <verb> your <noun>."},
    {"accuse prose",
     "<oath>, <you>, you have <thing> in your <image>!|I say it was you, <you>, and so says my <image>.|"
     "You have the face, <you>, of one who would <verb> a <noun>.|"
     "Who <verb>s a <noun> by night, <you>? I only ask."},
    {"after accuse", "deny|deny|deny|react"},
    {"deny verse",
     "Not I, <you>. I would sooner <verb> my <noun>.|<oath>, you wrong me, and you wrong <friend>.|"
     "If I have <done> it, let the <image>s <wait>.|I never <verb>; I only <wait>, and <verb>.|"
     "You are too <adj>, <you>, to be so <adj>."},
    {"deny prose", "Me, <you>? I would not know how to <verb> a <noun> if it asked me.|"
                   "<oath>, I was at <elsewhere>, with <number> <image>s and a priest.|"
                   "I deny the <image>, and I deny the <noun>; the rest may stand.|"
                   "It was the other fellow. It is always the other fellow."},
    {"after deny", "accuse|comfort|plan|ask|jest|rebuke"},
    {"plan verse",
     "Then let us <wait> no more, but <verb> the <noun>,/"
     "And meet <when>, at <elsewhere>, with <image>s.|Go you, <you>, to <elsewhere>; I'll <wait> here.|"
     "Bring me <thing> <when>, or bring me <friend>.|"
     "Ride to <elsewhere>, <you>! The <noun> must be <done>.|"
     "We'll <verb> the <noun> <when>, and trust the <sky>."},
    {"plan prose", "Hear my plan, <you>: we <verb> the <noun> <when>, and then we run.|"
                   "Meet me <when>, <where>, and bring a <image>.|"
                   "You hold the <image>, <you>, and I shall <verb> the <noun>.|"
                   "Let us look <where>; nobody has looked there since <friend> did."},
    {"after plan", "agree|agree|agree|ask"},
    {"agree verse",
     "It shall be <done>, <you>. I go, I go.|So be it. Let the <adj> <noun>s <wait>.|"
     "<oath>, I will <verb> it, <you>, or <wait>.|Your hand, <you>. My <image> is with yours."},
    {"agree prose", "Done, <you>, and there is my <image> on it.|"
                    "I like it well, <you>, for it is <adj> and it is free.|"
                    "<oath>, I am with you, <you>, so long as there is supper after."},
    {"after agree", "news|muse|jest|ask|plan"},
    {"muse verse", "<verse>/<verse>"},
    {"muse prose", "<prose> <prose>"},
    {"after muse", "ask|news|jest|comfort|accuse"},
    {"comfort verse",
     "Weep not, <you>. The <image> will <wait> again.|Take heart, <you>: the <sky> is not so <adj>.|"
     "Be patient, <you>; <noun>s are made to <wait>.|<friend> will come home, <you>, and bring <thing>."},
    {"comfort prose", "There, there, <you>; have a <image>.|"
                      "Dry your eyes, <you>. Worse <noun>s than you have been <done>.|"
                      "It will all be one in <number> years, <you>, and we shall be <adj>."},
    {"after comfort", "plan|ask|muse|jest"},
    {"jest verse",
     "You <wait>, <you>, like a <image> at a wedding.|I knew a <noun> once that was <adj>, like you.|"
     "A <image>, <you>, would have <done> as much, and smiled."},
    {"jest prose", "I will tell you a tale, <you>: there was a <image>, and it was <adj>, and that is all.|"
                   "They asked the <image> to be duke, <you>, but it had better work to do.|"
                   "What did the <image> say to the <noun>? Nothing, <you>; they were not on terms.|"
                   "You are a <adj> <image>, <you>, and I say it with love.|"
                   "Why is a <noun> like a <image>? Because they are both <done>."},
    {"after jest", "rebuke|ask|muse|news|jest"},
    {"rebuke verse",
     "Peace, <you>, peace! The hour is too <adj>.|No more of that, <you>. Your <image> is <adj>.|"
     "You jest, <you>, while better <noun>s <wait>."},
    {"rebuke prose", "Hold your tongue, <you>, before I <verb> it for you.|"
                     "Enough, <you>! The <image> itself is blushing."},
    {"after rebuke", "deny|ask|news|muse"},

    /* what becomes of the thing and of the friend, act by act */
    {"news1 verse",
     "<thing> is gone, and <friend> is gone too!|They say that <friend> took <thing> by night.|"
     "Last night <friend> fled, and no one knows to where.|<thing> is stolen! All <place> is awake!"},
    {"news1 prose", "Have you heard? <thing> was taken in the night, and nobody has seen <friend> since.|"
                    "<friend> is gone, and <thing> with <him>, and the door was not even locked."},
    {"news2 verse",
     "They found <his> cloak <where>, and it was torn.|A stranger swears that <friend> sold <thing>.|"
     "The duke will hang <him>, if <he> should return.|Some say <friend> is false, and some say dead."},
    {"news2 prose", "They have found <his> shoe <where>, and only the one.|"
                    "There is a price on <friend> now, <number> crowns, and I could use <number> crowns."},
    {"news3 verse",
     "<friend> was seen beside <elsewhere>, alone.|A light was seen <where>: it was <thing>!|"
     "We searched <elsewhere>, and all we found was snow.|I met with <friend>, and <he> would not speak."},
    {"news3 prose", "A pedlar saw <friend> at <elsewhere>, asleep, with <thing> for a pillow.|"
                    "We have looked <where>, and we have looked again, and there is nothing but mud."},
    {"news4 verse",
     "The flood is at <elsewhere>, and <friend> is there!|The bridge is down, and <friend> is on it!|"
     "There will be war <when>, and all for <thing>.|<friend> is taken, and must die <when>."},
    {"news4 prose", "The water is up to the door of <elsewhere>, and <friend> is inside it.|"
                    "They mean to hang <friend> <when>, and they have asked me to hold the ladder."},
    {"news5 verse",
     "<thing> is found! And <friend> never stole it!|<friend> is home, and with <him> is <thing>!|"
     "The duke forgives <him>, and the bells may ring.|It was for love that <friend> hid <thing>."},
    {"news5 prose",
     "<friend> is home! <he> came up the road with <thing> under <his> arm, and asked for <his> supper.|"
     "It was never stolen at all; it was <where> the whole time, and <friend> with it."},

    /* the end of a scene, and the chorus before a play */
    {"couplet",
     "So let the <image> <wait> beneath the <rhyme>,/Till every <adj> <noun> <verb>s the <rhymed>.|"
     "Come, friends: we have the <noun>, and we the <rhyme>;/"
     "What should we fear, who yet may <verb> the <rhymed>?|"
     "Away! The <adj> <noun> calls us from the <rhyme>,/"
     "And he who <verb>s it best shall <verb> the <rhymed>.|"
     "The <sky> <wait>s, and we must leave the <rhyme>;/"
     "Who <verb>s the <noun>, let him <verb> the <rhymed>.|"
     "Good night, <you>. I go to <verb> the <rhyme>,/"
     "And dream of <noun>s that <wait> beside the <rhymed>."},
    {"chorus first", "You that have come to <verb> us by the <rhyme>,/"
                     "Sit down, and hear how <friend> lost the <rhymed>.|"
                     "You that have left your <noun>s beside the <rhyme>,/"
                     "Be still: tonight we <verb> you by the <rhymed>."},
    {"chorus second", "How <thing> was <done> and carried from the <rhyme>,/"
                      "Our <adj> play shall show you, by the <rhymed>.|"
                      "How <friend> fled, and none could <verb> the <rhyme>,/"
                      "You soon shall know, who <wait> beside the <rhymed>."},
    {"chorus third",
     "Here <noun>s will <wait>, and <noun>s will <verb> the <rhyme>,/"
     "And one that none could <verb> will find the <rhymed>.|"
     "Imagine, then, <place>, and near the <rhyme>/A <adj> <noun> that <verb>s by the <rhymed>."},
};
#endif
