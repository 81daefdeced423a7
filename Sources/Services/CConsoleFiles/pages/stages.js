// The stages: each partition's condition and lag, with a cause where something is late, and charts of the last hour.
import {operate} from '../core/api.js';
import {chart} from '../core/chart.js';
import {live, signIn} from '../core/frame.js';
import {panel} from '../core/panel.js';
import {grid} from '../core/grid.js';
import {facts} from '../core/operate.js';
import {go, to} from '../core/router.js';
import {badge, emptyBox, load} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked} from '../core/text.js';
import {texts} from '../core/texts-running.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const every = 10000;
const names = {match: texts.stage1Match, deliver: texts.stage2Deliver, feeds: texts.stage3Feeds, push: texts.pushWord};
const nameOf = (one) => names[one.stage] ?? one.stage;
const bad = /failing|stalled/;
const kindOf = (one) => bad.test(one.condition) || one.failure ? 'bad' : one.entriesBehind > 0 ? 'warn' : 'good';
const seconds = (value) => value === undefined || value === null ? '–' : value < 60 ? `${Number(value).toFixed(1)} s`
  : texts.minS(Math.floor(value / 60), Math.round(value % 60));
const short = (topic, {container, environment}) => topic?.replace(`${container}.${environment}.`, '') ?? '';

// The sentences of docs/operations.md that belong to what is seen.
const causes = [[(one) => one.failure,
  texts.aStageFails],
  [(one) => one.condition === 'stalled',
    texts.thereIsSomething],
  [(one) => one.secondsBehind > 60,
    texts.theStageIs],
  [(one) => one.entriesBehind > 0, texts.entriesWaitAnd]];
const causeOf = (one) => causes.find(([holds]) => holds(one))?.[1];
const failureOf = (one) => one.failure && `${one.failure.reason}${one.failure.count > 1 ? texts.times(grouped(one.failure.count)) : ''}`;

function details(one, scope) {
  panel({title: [nameOf(one), texts.on, marked(`${short(one.topic, scope)}/${one.partition}`, 80)],
    content: [h('div', {class: 'row'}, badge(one.condition, kindOf(one))), causeOf(one) && h('p', null, causeOf(one)),
    facts([['topic', h('code', null, marked(one.topic, 200))], ['partition', String(one.partition)], ['next', grouped(one.next)],
      ['end', grouped(one.end)], ['behind', `${grouped(one.entriesBehind)} entries, ${seconds(one.secondsBehind)}`],
      [texts.whoHasIt, one.owner && marked(one.owner, 120)], [texts.lastFailure, failureOf(one) && marked(failureOf(one), 1000)],
      ['lasting', one.failure && (one.failure.isLasting ?? one.failure.lasting ? texts.yesItDoes
        : texts.noItIs)]]),
    has(['changes/read']) && /changes\./.test(one.topic)
      && h('a', {class: 'button', href: to('changes', [one.topic.split('changes.').at(-1)],
        {partition: one.partition, offset: one.next})},
      icon('changes'), texts.whatIsNext),
    has(['poison/list']) && h('a', {class: 'button', href: to('poison')}, icon('poison'), texts.setAside)]});
}

/** Partitions as small squares, so that one looks wrong at a glance. */
function squares(list, show, scope) {
  const groups = new Map();
  for (const one of list) { const name = `${nameOf(one)} · ${short(one.topic, scope)}`;
    groups.set(name, [...(groups.get(name) ?? []), one]); }
  return h('ul', {class: 'list'}, [...groups].map(([name, parts]) => {
    const behind = parts.reduce((sum, one) => sum + (one.entriesBehind ?? 0), 0);
    const age = Math.max(0, ...parts.map((one) => one.secondsBehind ?? 0));
    const wrong = parts.filter((one) => kindOf(one) === 'bad').length;
    return h('li', {class: 'stage-row'}, h('div', {class: 'grow'}, h('b', null, name),
      h('p', {class: 'note'}, behind ? texts.behindTheOldest(grouped(behind), seconds(age)) : texts.nothingWaits)),
      h('div', {class: 'squares'}, parts.map((one) => h('button', {type: 'button', class: `square ${kindOf(one)}`,
        title: texts.behind(one.partition, one.condition, one.entriesBehind),
        'aria-label': texts.partitionBehind(one.partition, one.condition, one.entriesBehind), onclick: () => show(one)},
        kindOf(one) === 'bad' ? '✕' : kindOf(one) === 'warn' ? '…' : '✓'))),
      wrong ? badge(texts.wrong(grouped(wrong)), 'bad') : behind ? badge(texts.working, 'warn') : badge(texts.idle, 'good'));
  }));
}

const waitNames = {outbox: texts.outbox, stage1: texts.stage1, stage2: texts.stage2, stage3: texts.stage3, push: texts.push};
const longest = {outbox: texts.theLogTakes, stage1: texts.stage1Is, stage2: texts.stage2Is, stage3: texts.stage3Is,
  push: texts.pushIs};
const waitsOf = (one) => Object.entries(one.waits ?? {});

/** The waits of a partition as one bar, each with its name and seconds. */
function waitBar(waits, most) {
  const bar = h('div', {class: 'waits', 'aria-hidden': 'true'}, waits.map(([name, value]) => {
    const part = h('span', {class: `wait wait-${name}`});
    part.style.setProperty('--part', `${value / most * 100}%`);
    return part;
  }));
  return [bar, h('p', {class: 'note'}, waits.map(([name, value], at) => [at > 0 && ' + ', h('span', {class: `wait-name wait-${name}`},
    `${waitNames[name] ?? name} ${seconds(value)}`)]))];
}

/** Lag with a cause: the waits of each partition that is late, as one bar. */
function late(stages, outbox, show, scope) {
  const behind = stages.filter((one) => one.entriesBehind > 0 || one.failure)
    .sort((a, b) => (b.secondsBehind ?? 0) - (a.secondsBehind ?? 0)).slice(0, 12);
  const rows = outbox?.rows > 0 && h('p', {class: 'note'}, texts.changesAreIn(grouped(outbox.rows), seconds(outbox.seconds)));
  if (!behind.length) return rows;
  const most = Math.max(1, ...behind.map((one) => waitsOf(one).reduce((sum, [, value]) => sum + value, 0)));
  return h('section', {class: 'card'}, h('h2', null, texts.whatIsLate), rows, h('ul', {class: 'list'}, behind.map((one) =>
    h('li', {class: 'stage-row'}, h('div', {class: 'grow'}, h('button', {type: 'button', class: 'button plain link',
      onclick: () => show(one)}, `${nameOf(one)}, ${short(one.topic, scope)}/${one.partition}`),
    waitsOf(one).length > 0 && waitBar(waitsOf(one), most),
    h('p', {class: 'note'}, causeOf(one), one.cause && !one.failure && one.secondsBehind > 1 && [' ', longest[one.cause]]),
    failureOf(one) && h('p', {class: 'bad'}, marked(failureOf(one), 300))),
    h('span', {class: 'quiet'}, texts.entries2(grouped(one.entriesBehind ?? 0)))))));
}

/** Opens the page. */
export function open(view) {
  const scope = view.route;
  const status = h('div', {class: 'stack'}, skeleton(5));
  const charts = h('div', {class: 'cards charts'});
  const showAll = h('details', {class: 'card'}, h('summary', null, texts.allPartitionsAs));
  const show = (one) => details(one, scope);
  const table = grid({label: texts.partitions, key: (one) => `${one.stage} ${one.topic} ${one.partition}`, open: show,
    columns: [{key: 'stage', title: texts.stage, width: 120, draw: nameOf}, {key: 'topic', title: texts.topic, width: 160, grow: 1.5,
    draw: (one) => marked(short(one.topic, scope), 80)}, {key: 'partition', title: texts.partition, width: 80, grow: 0, align: 'right',
    draw: (one) => String(one.partition)},
    {key: 'condition', title: texts.condition, width: 110, draw: (one) => badge(one.condition, kindOf(one))},
      {key: 'entries', title: texts.entriesBehind, width: 110, grow: 0, align: 'right', draw: (one) => grouped(one.entriesBehind ?? 0)},
      {key: 'seconds', title: texts.timeBehind, width: 100, grow: 0, align: 'right', draw: (one) => seconds(one.secondsBehind)},
      {key: 'process', title: texts.process, width: 90, grow: 0, draw: (one) => one.process ?? '–'},
      {key: 'next', title: texts.next, width: 90, grow: 0, align: 'right', draw: (one) => grouped(one.next ?? 0)},
      {key: 'end', title: texts.end, width: 90, grow: 0, align: 'right', draw: (one) => grouped(one.end ?? 0)}]});
  table.element.classList.add('own');
  table.element.style.height = '420px';
  showAll.append(table.element);
  let paused = false;
  let last = 0;

  async function redraw() {
    await load(status, async () => {
      const {stages, topics, outbox, obstacles = []} = await operate('stages', {}, {signal: view.signal});
      if (view.signal.aborted) return;
      const wrong = stages.filter((one) => kindOf(one) === 'bad').length;
      const waiting = stages.reduce((sum, one) => sum + (one.entriesBehind ?? 0), 0);
      fill(status, stages.length ? [h('div', {class: 'figures'},
        h('div', {class: 'figure'}, h('b', {class: wrong ? 'bad' : 'good'}, wrong ? `✕ ${grouped(wrong)}` : '✓ 0'),
        h('span', {class: 'quiet'}, texts.partitionsWrong)), h('div', {class: 'figure'}, h('b', null, grouped(waiting)),
        h('span', {class: 'quiet'}, texts.entriesWait)),
        h('div', {class: 'figure'}, h('b', null, seconds(Math.max(0, ...stages.map((one) => one.secondsBehind ?? 0)))),
        h('span', {class: 'quiet'}, texts.theOldest)), topics && h('div', {class: 'figure'}, h('b', null, grouped(topics.length)),
        h('span', {class: 'quiet'}, texts.topics))),
        obstacles.map((text) => h('p', {class: 'warn'}, marked(text, 500))), late(stages, outbox, show, scope),
          h('section', {class: 'card'}, h('h2', null, texts.stages), squares(stages, show, scope))]
          : emptyBox(texts.noStageRuns, {}));
      showAll.hidden = !stages.length;
      table.rows(stages, true);
    }, {signal: view.signal, signIn: () => signIn('operator')});
    if (has(['series']) && !charts.contains(document.activeElement) && !charts.querySelector('[aria-pressed=true]')) await load(charts,
      async () => {
      const {interval, from, series} = await operate('series', {}, {signal: view.signal});
      const units = new Map();
      for (const one of series) { const unit = one.group ?? one.label ?? one.name; units.set(unit, [...(units.get(unit) ?? []), one]); }
      fill(charts, [...units].map(([title, list]) =>
        chart({title, series: list, times: list[0].values.map((_, at) => from + at * interval * 1000)})));
    }, {signal: view.signal});
    last = Date.now();
  }

  const timer = setInterval(() => { if (!paused && !document.hidden && Date.now() - last >= every - 500) redraw(); }, every);
  view.signal.addEventListener('abort', () => clearInterval(timer));
  const pause = () => { paused = !paused; stop.setAttribute('aria-pressed', String(paused)); live(paused ? 'paused' : 'live');
    if (!paused) redraw(); };
  const stop = button('', {icon: 'pause', label: texts.pause, 'aria-pressed': 'false'}, pause);
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.stages), stop, button('', {icon: 'refresh', label: texts.readAgain},
    () => redraw())), status, charts, showAll);
  view.keys({'.': [texts.pauseAndResume, pause], l: [texts.theLog, () => go(to('log')), () => has(['log'])]});
  live('live');
  redraw();
}
