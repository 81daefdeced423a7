// The process's last lines: by level, text and request; followed while one looks.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {json} from '../core/code.js';
import {copied} from '../core/dialog.js';
import {live, signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {grid} from '../core/grid.js';
import {amend} from '../core/router.js';
import {badge, emptyBox, errorBox} from '../core/states.js';
import {grouped, marked, plain, time} from '../core/text.js';
import {texts} from '../core/texts-running.js';
import {button, fill, h} from '../core/view.js';
import {choice, download, later} from '../core/controls.js';

const every = 2000;
const most = 10000;
const levels = {error: ['✕ error', 'bad'], warning: ['! warning', 'warn'], info: ['info', ''], debug: ['debug', '']};
const levelOf = (one) => levels[one.level] ?? [one.level, ''];
const known = ['number', 'time', 'level', 'message'];
const rest = (one) => Object.entries(one).filter(([name]) => !known.includes(name)).map(([name, value]) =>
  `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`).join(' ');

/** Opens the page. */
export function open(view) {
  view.root.classList.add('full');
  const {query} = view.route;
  const level = choice([['', texts.allLevels], ['info', texts.infoAndAbove], ['warning', texts.warningsAndErrors],
    ['error', texts.errorsAlone]],
    query.level ?? '', {'aria-label': texts.level2, onchange: () => start()});
  const search = h('input', {type: 'search', 'aria-label': texts.messageRequestOr, placeholder: texts.messageARequest,
    value: query.search ?? '', autocomplete: 'off', spellcheck: 'false'});
  const status = h('span', {role: 'status'});
  const fresh = h('span');
  const message = h('div', {class: 'message'});
  let rows = [];
  let waiting = [];
  let next;
  let paused = false;
  let run = {};
  const table = grid({label: texts.linesOfThe, live: true, key: (one) => String(one.number), open: show,
    columns: [{key: 'time', title: texts.when, width: 216, grow: 0, draw: (one) => time(one.time, true)},
    {key: 'level', title: texts.level, width: 96, grow: 0, draw: (one) => levelOf(one)[1] ? badge(...levelOf(one))
      : h('span', {class: 'quiet'},
    one.level)}, {key: 'message', title: texts.message, width: 150, draw: (one) => h('b', null, marked(one.message, 120))},
    {key: 'rest', title: texts.fields, width: 260, grow: 4, code: true, draw: (one) => marked(rest(one), 300)}]});

  function show(one) {
    const request = one.request ?? one.requestID ?? one.uuid;
    panel({title: marked(one.message, 80), content: [h('div', {class: 'row'}, badge(...levelOf(one)), time(one.time, true),
      request && button(texts.allOfThis, {kind: 'plain'}, () => { search.value = request; start(); })), json(one, texts.theLine)]});
  }

  const body = () => ({...(level.value && {level: level.value}), ...(search.value.trim() && {contains: search.value.trim()}),
    ...(next !== undefined && {after: next}), limit: 1000});

  function draw() {
    table.element.hidden = !rows.length;
    table.rows(rows, true);
    fill(status, rows.length ? texts.lines(grouped(rows.length)) : '');
    fill(fresh, waiting.length > 0 && button(texts.newText(grouped(waiting.length)), {kind: 'plain', icon: 'up'}, take));
  }
  function take() { rows = waiting.concat(rows).slice(0, most); waiting = []; draw(); table.show(0); }

  async function read(own, quiet) {
    try {
      const answer = await operate('log', body(), {signal: view.signal});
      if (own !== run) return;
      next = answer.next;
      const newest = answer.lines.map(({number, line}) => typeof line === 'object' ? {...line, number}
        : {number, message: line}).toReversed();
      if (quiet && (paused || table.element.scrollTop > 0)) waiting = newest.concat(waiting).slice(0, most);
      else rows = newest.concat(rows).slice(0, most);
      const filtered = search.value.trim() || level.value;
      if (rows.length) fill(message);
      else fill(message, emptyBox(filtered ? h('span', null, texts.noLineMatches,
        h('code', null, plain(search.value.trim() || level.value, 100)), '.') : texts.theProcessHas,
        {actions: filtered ? [button(texts.clear, {kind: 'main'}, () => { search.value = ''; level.value = ''; start(); })] : [],
        curl: curl('operator', 'log', body())}));
      draw();
      return answer.lines.length >= 1000;
    } catch (error) {
      if (view.signal.aborted || own !== run) return;
      if (!error.code) throw error;
      own.failed = true;
      live('ended');
      fill(message, errorBox(error, start, /AUTHENTICATION/.test(error.code) ? () => signIn('operator') : undefined));
    }
  }

  async function start() {
    const own = run = {};
    next = undefined;
    rows = [];
    waiting = [];
    amend({level: level.value || undefined, search: search.value.trim() || undefined});
    for (let pages = 0; pages < 11 && await read(own, false); pages += 1);
    if (own === run && !own.failed) live(paused ? 'paused' : 'live');
  }

  const timer = setInterval(() => { if (!paused && !document.hidden && next !== undefined && !run.failed) read(run, true); }, every);
  view.signal.addEventListener('abort', () => clearInterval(timer));
  const pause = () => { paused = !paused; stop.setAttribute('aria-pressed', String(paused)); live(paused ? 'paused' : 'live');
    if (!paused) { take(); read(run, true); } };
  const stop = button('', {icon: 'pause', label: texts.pause, 'aria-pressed': 'false'}, pause);
  search.addEventListener('input', later(300, start));
  const text = () => rows.toReversed().map((one) => JSON.stringify(one)).join('\n');
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.log), stop,
    button(texts.copy, {icon: 'copy'}, () => copied(text(), texts.lines(grouped(rows.length)))),
    button(texts.save, {icon: 'down'}, () => download('fanfare.log.jsonl', new Blob([text()], {type: 'application/json'})))),
    h('div', {class: 'tools'}, h('div', {class: 'filter'}, search), level), message, table.element,
      h('div', {class: 'under-grid'}, status,
      fresh));
  view.keys({'.': [texts.pauseAndResume, pause], '/': [texts.theFilter, () => { search.focus(); search.select(); }]});
  table.element.hidden = true;
  start();
}
