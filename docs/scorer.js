// Rank the pages that the search finds.
//
// Sphinx scores a page by its best word alone, so most pages tie and stand in the order of their
// titles. Here every word of the query counts that a heading or an index entry of the page has, and
// once more if the page's own title has it. Of pages that still tie, guides come first, then the reference.

const LAST = ["adding", "architecture", "benchmarks", "conformance", "deprecations", "functions",
  "kernels", "names"];

/** Return the stems of a text's words, without those that tell no page from another. */
const stemsOf = (text) => {
  const stemmer = new Stemmer();
  const words = splitQuery(text.toLowerCase());
  const telling = words.filter((word) => !stopwords.has(word) && word !== "xarr");
  return telling.map((word) => stemmer.stemWord(word));
};

/** Count the query's words in the page's headings, index entries and title. */
const countInHeadings = (page) => {
  const { titles, alltitles, indexentries } = Search._index;
  const isHere = ([file, , isMain]) => file === page && isMain !== false;
  const texts = [...Object.entries(alltitles), ...Object.entries(indexentries)]
    .filter(([, places]) => places.some(isHere)).map(([text]) => text);
  const headings = new Set(texts.flatMap(stemsOf));
  const title = new Set(stemsOf(titles[page]));
  const query = new URLSearchParams(window.location.search).get("q") || "";
  return stemsOf(query).reduce((n, stem) => n + headings.has(stem) + title.has(stem), 0);
};

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([name, , , , score, , kind]) => {
    if (kind !== "text") return score;
    const page = Search._index.docnames.indexOf(name);
    const rank = LAST.includes(name) ? -2 : /^(from_|reference)/.test(name) ? -1 : 0;
    return score + 4 * countInHeadings(page) + rank;
  },
};
