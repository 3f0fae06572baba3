// What is wrong with how a page is laid out. Each function returns sentences.
const shown = (element) => element.checkVisibility ? element.checkVisibility() : true;

// lines counts the lines that a text takes.
function lines(of) {
  const range = of.cloneRange ? of : document.createRange();
  if (range !== of) range.selectNodeContents(of);
  return new Set([...range.getClientRects()].filter((r) => r.width > 0).map((r) => Math.round(r.top / 4))).size;
}

function texts(visit) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!['STYLE', 'SCRIPT', 'TITLE', 'DESC'].includes(node.parentElement.tagName.toUpperCase()) && shown(node.parentElement)) visit(node);
  }
}

// fits says that a name that takes several lines would have room in one.
function fits(name) {
  const range = document.createRange();
  range.selectNodeContents(name);
  const width = [...range.getClientRects()].reduce((sum, box) => sum + box.width, 0);
  let block = name.parentElement;
  while (getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
  return lines(name) > 1 && width < block.clientWidth * 0.8;
}

// torn returns the words that take more than one line: of a digest none may, and
// of other words only those that are longer than a line. A name that is too long
// for a line may end it at any of its signs.
function torn() {
  const all = [...document.querySelectorAll('.whole')].filter((name) => shown(name) && fits(name)).map((name) => `${name.textContent} has room`);
  texts((node) => {
    const name = node.parentElement.closest('.whole');
    const words = name && lines(name) > 1 ? /[\p{L}\p{N}_]+/gu : /[\p{L}\p{N}_]+(?:[-.:,][\p{L}\p{N}_]+)*/gu;
    for (const word of node.data.matchAll(words)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const digest = node.parentElement.closest('.digest');
      if (lines(range) > 1 && (digest || word[0].length <= 32)) all.push(`${word[0]} in ${node.parentElement.parentElement.outerHTML.slice(0, 120)}`);
      if (!digest && /[0-9a-f]{32}/i.test(word[0])) all.push(`${word[0]} is no digest`);
    }
  });
  return all;
}

// outside returns what reaches over the sides of the page.
function outside() {
  const width = document.documentElement.clientWidth, all = [];
  if (document.documentElement.scrollWidth > width) all.push(`the page is ${document.documentElement.scrollWidth} wide, of ${width}`);
  for (const element of document.body.querySelectorAll('*')) {
    if (!shown(element) || element.closest('defs, thead') || element.classList.contains('skip')) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 1 || box.left < -1)) all.push(`${element.tagName}: ${Math.round(box.left)} to ${Math.round(box.right)} of ${width}: ${element.textContent.slice(0, 60)}`);
  }
  return all;
}

// overlapping returns the labels of pictures that lie upon anything, or reach
// over the sides of theirs by more than a symbol does.
function overlapping() {
  const all = [];
  for (const picture of document.querySelectorAll('.picture')) {
    const frame = picture.getBoundingClientRect();
    const marks = [...picture.querySelectorAll('text, rect, circle, path')].filter((mark) => !mark.closest('defs') && !mark.matches('.frame'));
    const boxes = marks.map((mark) => mark.getBoundingClientRect());
    marks.forEach((label, i) => {
      if (label.tagName !== 'text') return;
      const a = boxes[i];
      if (a.left < frame.left - 52 || a.right > frame.right + 1) all.push(`${label.textContent} reaches out of the picture`);
      boxes.forEach((b, k) => {
        const upon = a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
        if (k !== i && upon) all.push(`${label.textContent} lies upon ${marks[k].textContent || marks[k].outerHTML.slice(0, 60)}`);
      });
    });
  }
  return all;
}

// cut lays the page out in columns of the size of a sheet, which break as sheets
// do, and returns what is cut, and the headings at the end of a column.
function cut(width, height) {
  const style = document.body.style, all = [];
  Object.assign(style, { columnWidth: `${width}px`, columnGap: '20px', columnFill: 'auto', height: `${height}px` });
  const left = document.body.getBoundingClientRect().left;
  const sheets = (element) => [...element.getClientRects()].filter((box) => box.width > 0).map((box) => Math.floor((box.left - left + 1) / (width + 20)));
  const name = (element) => `${element.tagName} ${element.textContent.trim().slice(0, 40)}`;
  for (const element of document.body.querySelectorAll('.picture, .picture > svg, tr, .legend, .outcome, h1, h2, h3')) {
    if (shown(element) && new Set(sheets(element)).size > 1) all.push(`${name(element)} is on the sheets ${sheets(element)}`);
  }
  const nodes = [];
  texts((node) => { if (node.data.trim()) nodes.push(node); });
  for (const heading of document.body.querySelectorAll('h1, h2, h3, article > header, summary')) {
    const next = nodes.find((node) => heading.compareDocumentPosition(node) === Node.DOCUMENT_POSITION_FOLLOWING);
    if (!shown(heading) || !next || heading.closest('details:not([open])')) continue;
    const range = document.createRange();
    range.selectNodeContents(next);
    if (sheets(range)[0] !== sheets(heading).at(-1)) all.push(`${name(heading)} is alone at the end of sheet ${sheets(heading).at(-1)}`);
  }
  if (document.body.scrollWidth < 2 * width) all.push('all is on one sheet');
  Object.assign(style, { columnWidth: '', columnGap: '', columnFill: '', height: '' });
  return all;
}
