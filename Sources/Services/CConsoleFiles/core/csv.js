// CSV that no spreadsheet runs, and that is read back as it was.

const runs = '[=+\\-@\\t\\r\\n\\uFF1D\\uFF0B\\uFF0D\\uFF20]';
const dangerous = new RegExp(`^'*${runs}`);
const guarded = new RegExp(`^'+${runs}`);

/**
 * A cell of CSV, which no spreadsheet runs: before `= + - @`, a tab or a line end at the start comes a quote, but not before
 * numbers. Texts that begin with such a quote get one more, so that reading takes away what writing gave. An absent text is an
 * empty cell, and the empty one `""`.
 */
function csvCell(text) {
  if (text === undefined) return '';
  const safe = dangerous.test(text) && !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? `'${text}` : text;
  return safe === '' || /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of CSV. */
export const csvLine = (cells) => cells.map(csvCell).join(',') + '\r\n';

/** The text of a cell without the quote that keeps it from running. */
export const csvText = (cell) => guarded.test(cell) ? cell.slice(1) : cell;

/** Reads CSV: rows of texts; an empty cell without quotes is undefined. */
export function readCSV(text) {
  const rows = [];
  const ends = /[,\r\n]/g;
  let at = 0;
  while (at < text.length) {
    const row = [];
    for (;;) {
      let cell = '';
      const quoted = text[at] === '"';
      if (quoted) {
        for (at += 1;;) {
          const end = text.indexOf('"', at);
          cell += text.slice(at, end < 0 ? text.length : end);
          at = end < 0 ? text.length : end + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at += 1;
        }
      }
      ends.lastIndex = at;
      const end = ends.exec(text)?.index ?? text.length;
      cell += text.slice(at, end);
      row.push(cell === '' && !quoted ? undefined : cell);
      at = end + 1;
      if (text[end] !== ',') {
        if (text[end] === '\r' && text[at] === '\n') at += 1;
        break;
      }
    }
    if (row.length > 1 || row[0]) rows.push(row);
  }
  return rows;
}
