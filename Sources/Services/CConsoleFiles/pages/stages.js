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
import {button, fill, h, icon, skeleton} from '../core/view.js';

const every = 10000;
const names = {match: 'stage 1: match', deliver: 'stage 2: deliver', push: 'push'};
const nameOf = (one) => names[one.stage] ?? one.stage;
const bad = /failing|stalled/;
const kindOf = (one) => bad.test(one.condition) || one.failure ? 'bad' : one.entriesBehind > 0 ? 'warn' : 'good';
const seconds = (value) => value === undefined || value === null ? '–' : value < 60 ? `${Number(value).toFixed(1)} s`
  : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
const short = (topic, {container, environment}) => topic?.replace(`${container}.${environment}.`, '') ?? '';

// The sentences of docs/operations.md that belong to what is seen.
const causes = [[(one) => one.failure,
  'A stage fails on this partition, again and again, with pauses in between; other partitions go on. What it says is below.'],
  [(one) => one.condition === 'stalled',
    'There is something to do, and nothing was done: the process may be gone, or waits for the log.'],
  [(one) => one.secondsBehind > 60,
    'The stage is alive and behind: more arrives than it does, or one entry is dear. More instances share partitions; one partition is '
      + 'one instance’s.'],
  [(one) => one.entriesBehind > 0, 'Entries wait, and none for long: it is working.']];
const causeOf = (one) => causes.find(([holds]) => holds(one))?.[1];
const failureOf = (one) => one.failure && `${one.failure.reason}${one.failure.count > 1 ? ` (${grouped(one.failure.count)} times)` : ''}`;

function details(one, scope) {
  panel({title: [nameOf(one), ' on ', marked(`${short(one.topic, scope)}/${one.partition}`, 80)],
    content: [h('div', {class: 'row'}, badge(one.condition, kindOf(one))), causeOf(one) && h('p', null, causeOf(one)),
    facts([['topic', h('code', null, marked(one.topic, 200))], ['partition', String(one.partition)], ['next', grouped(one.next)],
      ['end', grouped(one.end)], ['behind', `${grouped(one.entriesBehind)} entries, ${seconds(one.secondsBehind)}`],
      ['who has it', one.owner && marked(one.owner, 120)], ['last failure', failureOf(one) && marked(failureOf(one), 1000)],
      ['lasting', one.failure && (one.failure.isLasting ?? one.failure.lasting ? 'yes: it does not go away by itself'
        : 'no: it is tried again')]]),
    has(['changes/read']) && /changes\./.test(one.topic)
      && h('a', {class: 'button', href: to('changes', [one.topic.split('changes.').at(-1)],
        {partition: one.partition, offset: one.next})},
      icon('changes'), 'What is next here'),
    has(['poison/list']) && h('a', {class: 'button', href: to('poison')}, icon('poison'), 'Set aside')]});
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
      h('p', {class: 'note'}, behind ? `${grouped(behind)} behind, the oldest ${seconds(age)}` : 'nothing waits')),
      h('div', {class: 'squares'}, parts.map((one) => h('button', {type: 'button', class: `square ${kindOf(one)}`,
        title: `${one.partition}: ${one.condition}, ${one.entriesBehind} behind`,
        'aria-label': `Partition ${one.partition}: ${one.condition}, ${one.entriesBehind} behind`, onclick: () => show(one)},
        kindOf(one) === 'bad' ? '✕' : kindOf(one) === 'warn' ? '…' : '✓'))),
      wrong ? badge(`✕ ${grouped(wrong)} wrong`, 'bad') : behind ? badge('… working', 'warn') : badge('✓ idle', 'good'));
  }));
}

const waitNames = {outbox: 'outbox', match: 'stage 1', deliver: 'stage 2'};
const oldest = (stages, name) => Math.max(0, ...stages.filter((one) => one.stage === name).map((one) => one.secondsBehind ?? 0));

/** The waits of what comes through a partition, in seconds: its own, and the longest of those before it. */
function waitsOf(one, stages, outbox) {
  if (one.stage !== 'match' && one.stage !== 'deliver') return [[one.stage, one.secondsBehind ?? 0]];
  return [...(outbox ? [['outbox', outbox.seconds]] : []), ['match', one.stage === 'match' ? one.secondsBehind ?? 0
    : oldest(stages, 'match')],
    ...(one.stage === 'deliver' ? [['deliver', one.secondsBehind ?? 0]] : [])];
}

/** The waits of a partition as one bar, each with its name and seconds. */
function waitBar(waits, most) {
  const bar = h('div', {class: 'waits', 'aria-hidden': 'true'}, waits.map(([name, value]) => {
    const part = h('span', {class: `wait wait-${name}`});
    part.style.setProperty('--part', `${value / most * 100}%`);
    return part;
  }));
  return [bar, h('p', {class: 'note'}, waits.map(([name, value], at) => [at > 0 && ' + ', h('span', {class: `wait-name wait-${name}`},
    `${waitNames[name] ?? nameOf({stage: name})} ${seconds(value)}`)]))];
}

const longest = {outbox: 'The log takes changes late: are the brokers up and in sync, and has their disk room? Saves go on, and wait in '
    + 'the store.', match: 'Stage 1 is the longest: matchers are at their CPU, or one user or zone has most of the changes.',
deliver: 'Stage 2 is the longest: one user has many devices, or brokers are slow.'};

/** Lag with a cause: the waits of each partition that is late, as one bar. */
function late(stages, outbox, show, scope) {
  const behind = stages.filter((one) => one.entriesBehind > 0 || one.failure)
    .sort((a, b) => (b.secondsBehind ?? 0) - (a.secondsBehind ?? 0)).slice(0, 12).map((one) => [one, waitsOf(one, stages, outbox)]);
  if (!behind.length) return outbox?.rows > 0 && h('p', {class: 'note'},
    `${grouped(outbox.rows)} changes are in the outbox, the oldest for `
    + `${seconds(outbox.seconds)}.`);
  const most = Math.max(1, ...behind.map(([, waits]) => waits.reduce((sum, [, value]) => sum + value, 0)));
  return h('section', {class: 'card'}, h('h2', null, 'What is late, and why'), h('ul', {class: 'list'}, behind.map(([one, waits]) => {
    const [name, value] = waits.toSorted((a, b) => b[1] - a[1])[0];
    return h('li', {class: 'stage-row'}, h('div', {class: 'grow'}, h('button', {type: 'button', class: 'button plain link',
      onclick: () => show(one)}, `${nameOf(one)}, ${short(one.topic, scope)}/${one.partition}`), waitBar(waits, most),
    h('p', {class: 'note'}, causeOf(one), value > 1 && waits.length > 1 && !one.failure && [' ', longest[name]]),
    failureOf(one) && h('p', {class: 'bad'}, marked(failureOf(one), 300))),
    h('span', {class: 'quiet'}, `${grouped(one.entriesBehind ?? 0)} entries`));
  })));
}

/** Opens the page. */
export function open(view) {
  const scope = view.route;
  const status = h('div', {class: 'stack'}, skeleton(5));
  const charts = h('div', {class: 'cards charts'});
  const showAll = h('details', {class: 'card'}, h('summary', null, 'All partitions as a table'));
  const show = (one) => details(one, scope);
  const table = grid({label: 'Partitions', key: (one) => `${one.stage} ${one.topic} ${one.partition}`, open: show,
    columns: [{key: 'stage', title: 'stage', width: 120, draw: nameOf}, {key: 'topic', title: 'topic', width: 160, grow: 1.5,
    draw: (one) => marked(short(one.topic, scope), 80)}, {key: 'partition', title: 'partition', width: 80, grow: 0, align: 'right',
    draw: (one) => String(one.partition)},
    {key: 'condition', title: 'condition', width: 110, draw: (one) => badge(one.condition, kindOf(one))},
      {key: 'entries', title: 'entries behind', width: 110, grow: 0, align: 'right', draw: (one) => grouped(one.entriesBehind ?? 0)},
      {key: 'seconds', title: 'time behind', width: 100, grow: 0, align: 'right', draw: (one) => seconds(one.secondsBehind)},
      {key: 'next', title: 'next', width: 90, grow: 0, align: 'right', draw: (one) => grouped(one.next ?? 0)},
      {key: 'end', title: 'end', width: 90, grow: 0, align: 'right', draw: (one) => grouped(one.end ?? 0)}]});
  table.element.classList.add('own');
  table.element.style.height = '420px';
  showAll.append(table.element);
  let paused = false;
  let last = 0;

  async function redraw() {
    await load(status, async () => {
      const {stages, topics, outbox} = await operate('stages', {}, {signal: view.signal});
      if (view.signal.aborted) return;
      const wrong = stages.filter((one) => kindOf(one) === 'bad').length;
      const waiting = stages.reduce((sum, one) => sum + (one.entriesBehind ?? 0), 0);
      fill(status, stages.length ? [h('div', {class: 'figures'},
        h('div', {class: 'figure'}, h('b', {class: wrong ? 'bad' : 'good'}, wrong ? `✕ ${grouped(wrong)}` : '✓ 0'),
        h('span', {class: 'quiet'}, 'partitions wrong')), h('div', {class: 'figure'}, h('b', null, grouped(waiting)),
        h('span', {class: 'quiet'}, 'entries wait')),
        h('div', {class: 'figure'}, h('b', null, seconds(Math.max(0, ...stages.map((one) => one.secondsBehind ?? 0)))),
        h('span', {class: 'quiet'}, 'the oldest')), topics && h('div', {class: 'figure'}, h('b', null, grouped(topics.length)),
        h('span', {class: 'quiet'}, 'topics'))),
        late(stages, outbox, show, scope), h('section', {class: 'card'}, h('h2', null, 'Stages'), squares(stages, show, scope))]
          : emptyBox('No stage runs in this environment: start the subscription-matcher.', {}));
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
  const stop = button('', {icon: 'pause', label: 'Pause (.)', 'aria-pressed': 'false'}, pause);
  fill(view.root, h('div', {class: 'page-head'}, view.title('Stages'), stop, button('', {icon: 'refresh', label: 'Read again'},
    () => redraw())), status, charts, showAll);
  view.keys({'.': ['pause and resume', pause], l: ['the log', () => go(to('log')), () => has(['log'])]});
  live('live');
  redraw();
}
