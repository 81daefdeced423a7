// The subscriptions of all users: whose, in which database, on what, at which cost.
import {json} from '../core/code.js';
import {panel} from '../core/panel.js';
import {act, facts, listing} from '../core/operate.js';
import {to} from '../core/router.js';
import {has} from '../core/session.js';
import {grouped, marked, plain, user} from '../core/text.js';
import {texts} from '../core/texts-subscriptions.js';
import {button, h, icon} from '../core/view.js';

const typeOf = ({subscription}) => subscription.query?.recordType ?? subscription.recordType;
const condition = ({subscription}) => subscription.query?.predicate ?? (subscription.query?.filterBy?.length
  ? JSON.stringify(subscription.query.filterBy)
  : subscription.zoneID ? texts.zone(subscription.zoneID.zoneName) : subscription.subscriptionType === 'database' ? texts.theWholeDatabase
    : texts.everyRecord);
const fires = ({subscription}) => (subscription.firesOn ?? []).join(', ') || texts.allChanges;

/** Opens the page. */
export function open(view) {
  const off = view.barred() ?? (has(['subscriptions/remove']) ? undefined : texts.thisBuildRemoves);
  function show(one) {
    const {subscriptionID} = one.subscription;
    const remove = async () => {
      const answer = await act(view, {title: texts.removeAsk(plain(subscriptionID, 60)),
        text: texts.itNotifiesNo, yes: texts.remove,
        danger: true, name: subscriptionID,
        path: 'subscriptions/remove', body: () => ({user: one.userRecordName, database: one.database, subscriptionID}),
          done: texts.removed});
      if (answer) { pane.end(); list.redraw(); }
    };
    const pane = panel({title: marked(subscriptionID, 80),
      content: [facts([['owner', h('a', {href: to('users', [], {open: one.userRecordName})}, user(one.userRecordName))],
      ['database', one.database], ['kind', one.subscription.subscriptionType], ['type', typeOf(one) && marked(typeOf(one), 80)],
      ['condition', h('code', null, marked(condition(one), 2000))], [texts.firesOn, fires(one)],
        ['cost', `${grouped(one.cost)} of 10 000`]]),
        h('div', {class: 'row'}, has(['explain'])
        && h('a', {class: 'button', href: to('explain', [], {subscription: subscriptionID, user: one.userRecordName,
        database: one.database})}, icon('explain'), texts.whyAsk),
      button(texts.removeMore, {icon: 'trash', kind: 'danger', disabled: Boolean(off), title: off}, remove)),
        json(one.subscription, texts.theSubscription)]});
  }
  const wanted = view.route.query.user;
  const list = listing(view, {title: texts.subscriptionsOfAll, noun: texts.subscriptions, path: 'subscriptions/list', pages: wanted
    ? undefined : 'after', limit: 50, body: () => wanted ? {user: wanted} : {}, items: (answer) => answer.subscriptions,
    key: (one) => `${one.userRecordName} ${one.database} ${one.subscription.subscriptionID}`, open: show,
    actions: [h('a', {class: 'button', href: to('subscriptions')}, texts.mineAlone)], empty: {text: texts.nobodyHasA},
    columns: [{key: 'id', title: texts.subscription, width: 140, grow: 1.2, draw: (one) => marked(one.subscription.subscriptionID, 80)},
      {key: 'owner', title: texts.owner, width: 130, draw: (one) => user(one.userRecordName)},
        {key: 'database', title: texts.database, width: 90,
      grow: 0, draw: (one) => one.database},
      {key: 'type', title: texts.type, width: 110, draw: (one) => typeOf(one) ? marked(typeOf(one), 60) : '–'},
        {key: 'condition', title: texts.condition, width: 200, grow: 2, code: true, draw: (one) => marked(condition(one), 200)},
        {key: 'fires', title: texts.firesOn, width: 120, draw: fires}, {key: 'cost', title: texts.cost, width: 80, grow: 0, align: 'right',
        draw: (one) => grouped(one.cost)}]});
}
