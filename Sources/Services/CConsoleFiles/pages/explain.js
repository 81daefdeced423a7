// Why a subscription did, or did not, notify of a change.
import {operate} from '../core/api.js';
import {curl} from '../core/curl.js';
import {json} from '../core/code.js';
import {copied} from '../core/dialog.js';
import {steps, verdict} from '../core/explain.js';
import {signIn} from '../core/frame.js';
import {facts} from '../core/operate.js';
import {amend, to} from '../core/router.js';
import {emptyBox, load} from '../core/states.js';
import {has} from '../core/session.js';
import {grouped, marked, user} from '../core/text.js';
import {texts} from '../core/texts-why.js';
import {versions} from '../core/versions.js';
import {button, fill, h, icon} from '../core/view.js';
import {choice, labelled} from '../core/controls.js';

/** Opens the page. */
export function open(view) {
  const {query} = view.route;
  const change = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', required: true, value: query.change ?? '',
    placeholder: texts.n61OrA});
  const subscription = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', required: true, value: query.subscription
    ?? '',
    placeholder: texts.modern});
  const owner = h('input', {class: 'code', autocomplete: 'off', spellcheck: 'false', value: query.user ?? '',
    placeholder: texts.whereSeveralHave});
  const base = choice([['', texts.any], 'public', 'private', 'shared'], query.database ?? '');
  const result = h('div', {class: 'stack'});
  const body = () => ({change: change.value.trim(), subscriptionID: subscription.value.trim(),
    ...(owner.value.trim() && {user: owner.value.trim()}), ...(base.value && {database: base.value})});

  async function explain() {
    const empty = [change, subscription].find((field) => !field.value.trim());
    if (empty) return empty.focus();
    const {change: number, subscriptionID: name, ...rest} = body();
    amend({change: number, subscription: name, user: rest.user, database: rest.database});
    return load(result, async () => {
      const found = await operate('explain', body(), {signal: view.signal});
      if (view.signal.aborted) return;
      fill(result, verdict(found), h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, texts.stepByStep),
        /[0-9a-f-]{36}/.test(number)
        && h('a', {class: 'button', href: to('notification', [number], {subscription: name})}, icon('bell'), texts.itsWay),
        button('', {icon: 'copy', label: texts.copyTheLink}, () => copied(location.href, texts.theLink))),
        found.valuesLeftOut && h('p', {class: 'quiet'}, texts.valuesAreLeft),
        facts([['change', grouped(found.change)], ['subscription', marked(found.subscriptionID, 120)], ['database', found.database],
          ['owner', user(found.userRecordName)]]), steps(found)),
      has(['records/history', 'changes/read']) && past(found),
      h('details', {class: 'card'}, h('summary', null, texts.asData), json(found, texts.theExplanation)));
    }, {signal: view.signal, signIn: () => signIn('operator')});
  }

  /** The card of the record's versions, which are read on a click: each costs some pages of the log. */
  function past(found) {
    const place = h('div', {class: 'stack'});
    const show = button(texts.itsVersions, {icon: 'changes'}, () => { show.hidden = true; versions(view, place, found); });
    return h('section', {class: 'card'}, h('div', {class: 'card-head'}, h('h2', null, texts.theRecordOver), show), place);
  }

  const form = h('form', {class: 'card', onsubmit: (event) => { event.preventDefault(); explain(); }},
    h('div', {class: 'form-row'}, labelled(texts.change2, change), labelled(texts.subscription2, subscription),
      labelled(texts.owner, owner),
    labelled(texts.database, base), h('button', {type: 'submit', class: 'button main'}, icon('run'), h('span', null, texts.explain))));
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.whyAsk), button(texts.copyAsCurl, {icon: 'copy', kind: 'plain'},
    () => copied(curl('operator', 'explain', body()), texts.aCurlLine))), form, result);
  view.keys({'/': [texts.theChange, () => { change.focus(); change.select(); }]});
  if (query.change && query.subscription) explain();
  else fill(result, emptyBox(texts.nameAChange,
    {actions: has(['changes/read']) ? [h('a', {class: 'button', href: to('changes', ['public'])}, icon('changes'), texts.latestChanges)]
      : [],
    curl: curl('operator', 'explain', {change: '61', subscriptionID: 'modern'})}));
}
