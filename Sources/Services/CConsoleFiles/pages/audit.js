// Audits: runs that recompute every expected notification and compare it with journals.
import {operate} from '../core/api.js';
import {download, labelled} from '../core/controls.js';
import {curl} from '../core/curl.js';
import {dialog} from '../core/dialog.js';
import {spot} from '../core/explain.js';
import {signIn} from '../core/frame.js';
import {act, facts} from '../core/operate.js';
import {panel} from '../core/panel.js';
import {amend, here, to} from '../core/router.js';
import {has} from '../core/session.js';
import {badge, emptyBox, load} from '../core/states.js';
import {counted, grouped, marked, plain, time, user} from '../core/text.js';
import {texts} from '../core/texts-running.js';
import {button, fill, h, icon, skeleton} from '../core/view.js';

const every = 1000;
const shownMost = 500;
const running = (one) => one.state === 'running';
const differences = (one) => one.result?.differences ?? 0;

function stateOf(one) {
  if (running(one)) return badge(texts.running, 'accent');
  if (one.state === 'failed') return badge(texts.failed, 'bad');
  if (one.state === 'lost') return badge(texts.endedWithIts, 'bad');
  if (differences(one)) return badge(`✕ ${counted(differences(one), texts.difference)}`, 'bad');
  return one.state === 'stopped' ? badge(texts.stoppedWord) : badge(texts.noDifference2, 'good');
}

function progress(one) {
  if (!running(one)) return undefined;
  const bar = h('progress', {class: 'progress', max: '1', 'aria-label': texts.progress});
  if (one.progress !== undefined) bar.value = one.progress;
  return bar;
}

const said = ({result}) => result && texts.callForAnd(counted(result.changes, texts.change), counted(result.expected, texts.notification),
  counted(result.feeds, texts.feed), counted(result.users, texts.user), grouped(result.entries));

/** What an audit says beside its sentence: what is still on its way, and what is not kept any more. */
const besides = ({result}) => [result?.behind > 0 && h('p', {class: 'note'},
  texts.deliveriesAreStill(grouped(result.behind))),
  result?.since && h('p', {class: 'note'}, texts.changesBefore, time(result.since), texts.areNotAll)];

function finding(one) {
  return h('li', null, badge(`✕ ${plain(one.kind, 30)}`, 'bad'), h('div', {class: 'grow'}, h('p', null, marked(one.detail ?? '', 1000)),
    h('p', {class: 'note'}, user(one.userRecordName), ' ',
      spot({...one, partition: undefined}, one.userRecordName) ?? marked(one.topic ?? '', 80)),
    one.explain && h('p', {class: 'note'}, marked(one.explain, 1000))),
  has(['explain']) && one.change !== undefined && one.subscriptionID !== undefined
    && h('a', {class: 'button', href: to('explain', [], {change: one.change, subscription: one.subscriptionID,
      user: one.userRecordName})}, icon('explain'), texts.whyAsk));
}

/** Asks for the range of an audit, and starts it. */
async function start() {
  const from = h('input', {type: 'datetime-local', step: '1'});
  const until = h('input', {type: 'datetime-local', step: '1'});
  const devices = h('input', {autocomplete: 'off', spellcheck: 'false', placeholder: texts.all});
  const utc = (field) => field.value && new Date(`${field.value}Z`).toISOString().replace('.000', '');
  let made;
  await dialog({title: texts.newAudit2,
    body: [h('p', {class: 'quiet'},
      texts.itReadsThe),
    h('div', {class: 'pair'}, labelled(texts.changesFromUtc, from, texts.emptyAllThat), labelled(texts.to, until)),
    labelled(texts.devices, devices, texts.idsSeparatedBy)],
    actions: [{text: texts.cancel}, {text: texts.start, kind: 'main', act: async () => {
      made = await operate('audits/start', {...(from.value && {from: utc(from)}), ...(until.value && {to: utc(until)}),
        ...(devices.value.trim() && {devices: devices.value.split(/[,\s]+/).filter(Boolean)})});
    }}]});
  return made;
}

/** Opens the page. */
export function open(view) {
  const off = view.barred();
  const {signal} = view;
  const list = h('section', {class: 'card'}, skeleton(3));
  let timer;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const begin = async () => { const made = !off && await start(); if (made) { await redraw(); show(made.auditID); } };
  const starter = (kind) => button(texts.newAudit2, {icon: 'run', kind, disabled: Boolean(off), title: off}, begin);

  async function stop(auditID, refresh) {
    if (await act(view, {title: texts.stopThisAuditAsk, text: texts.whatItFound, yes: texts.stop, path: 'audits/stop',
      body: () => ({auditID}), done: texts.stopped})) { refresh(); redraw(); }
  }

  async function show(auditID) {
    const body = h('div', {class: 'stack'}, skeleton(3));
    const own = panel({title: texts.audit, content: body,
      closed: () => { if (here().query.open === auditID && !signal.aborted) amend({open: undefined}); }});
    amend({open: auditID});
    const refresh = () => load(body, async () => {
      const {audit, findings = [], findingsLeftOut: more = 0} = await operate('audits/lookup', {auditID}, {signal});
      if (!own.isOpen()) return;
      const save = () => download(`audit-${auditID.replace(/[^\w-]/g, '')}.jsonl`,
        new Blob([[...findings, audit].map((one) => JSON.stringify(one)).join('\n')], {type: 'application/json'}));
      const count = findings.length + more;
      fill(body, h('div', {class: 'row'}, stateOf(audit), running(audit)
        ? button(texts.stop, {icon: 'close', disabled: Boolean(off), title: off}, () => stop(auditID, refresh))
        : button(texts.export, {icon: 'down'}, save)), progress(audit),
      facts([['started', time(audit.started, true)], ['ended', audit.ended && time(audit.ended, true)],
        ['by', audit.operator && marked(audit.operator, 60)], ['from', audit.from && marked(audit.from, 40)],
        ['to', audit.to && marked(audit.to, 40)],
        ['devices', audit.devices?.length ? marked(audit.devices.join(', '), 200) : undefined],
        ['reason', audit.reason && marked(audit.reason, 500)]]),
      said(audit) && h('p', null, said(audit), '.'), besides(audit),
      h('h3', null, count ? counted(count, texts.difference) : running(audit) ? texts.nothingFoundSo : texts.noDifference),
      findings.length > 0 && h('ul', {class: 'list findings'}, findings.slice(0, shownMost).map(finding)),
      count > Math.min(findings.length, shownMost) && h('p', {class: 'note'},
        texts.moreAreNot(grouped(count - Math.min(findings.length, shownMost)))));
      if (running(audit)) setTimeout(() => own.isOpen() && !signal.aborted && refresh(), every);
    }, {signal, signIn: () => signIn('operator')});
    await refresh();
  }

  function row(one) {
    const link = h('a', {href: to('audit', [], {open: one.auditID}), onclick: (event) => { event.preventDefault(); show(one.auditID); }},
      h('b', null, time(one.started)));
    return h('li', null, icon('audit'), h('div', {class: 'grow'}, h('div', {class: 'row'}, link, stateOf(one)), progress(one),
      h('p', {class: 'note'}, said(one) ?? (running(one) ? texts.readingTheLog : marked(one.reason ?? '', 200)))),
    one.operator && h('span', {class: 'quiet'}, marked(one.operator, 40)));
  }

  async function redraw() {
    clearTimeout(timer);
    await load(list, async () => {
      const {audits} = await operate('audits/list', {}, {signal});
      if (signal.aborted) return;
      fill(list, audits.length ? h('ul', {class: 'list'}, audits.map(row))
        : emptyBox(texts.noAuditWas, {actions: [starter('main')], curl: curl('operator', 'audits/start', {})}));
      if (audits.some(running)) timer = setTimeout(() => !document.hidden && redraw(), every);
    }, {signal, signIn: () => signIn('operator')});
  }

  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.audit), starter('main'),
    button('', {icon: 'refresh', label: texts.readAgain}, () => redraw())), list);
  view.keys({n: [texts.newAudit, begin]});
  redraw();
  if (view.route.query.open) show(view.route.query.open);
}
