// A board of cards that users share: live, offline, and with Web Push. All calls of the service are fanfare.js's.
const {url, container: containerIdentifier, environment, apiToken} = self.service;
const {default: CloudKit} = await import(`${url}/fanfare/fanfare.js`);
const container = CloudKit.configure({containers: [{
  containerIdentifier, environment, apiTokenAuth: {apiToken, persist: true},
}]}).getDefaultContainer();

const find = (selector) => document.querySelector(selector);
const columns = ['todo', 'doing', 'done'];
/** The boards that the user sees: the own one, and those of others. */
let boards = [];
let board;
let live;
let queue;
/** Changes that wait to be sent. */
let kept = [];

function report(error) {
  find('#problem').textContent = error.reason ?? error.message;
  find('#problem').hidden = false;
}

function on(selector, event, work) {
  find(selector).addEventListener(event, async (happened) => {
    happened.preventDefault();
    find('#problem').hidden = true;
    await Promise.resolve(happened).then(work).catch(report);
  });
}

// MARK: Boards

/** The user's board is a zone of the private database; those of others are zones of the shared one. */
async function findBoards() {
  await container.privateCloudDatabase.saveRecordZones('board');
  const {zones: [own]} = await container.privateCloudDatabase.fetchRecordZones('board');
  const {zones: others} = await container.sharedCloudDatabase.fetchAllRecordZones();
  boards = [
    {name: 'My board', database: container.privateCloudDatabase, zoneID: own.zoneID},
    ...others.map(({zoneID}) => ({
      name: `Shared by ${zoneID.ownerRecordName.slice(0, 6)}`, database: container.sharedCloudDatabase, zoneID,
    })),
  ];
  find('#boards').replaceChildren(...boards.map(({name}, index) => new Option(name, index)));
}

/** Shows a board, and each change of it. */
async function open(index) {
  board = boards[index];
  find('#boards').value = index;
  find('#share').hidden = !board.database.isPrivate;
  find('#link').textContent = '';
  await live?.close();
  live = board.database.liveQuery({recordType: 'Card', sortBy: {systemFieldName: 'createdTimestamp'}}, {zoneID: board.zoneID});
  live.subscribe(({type, error}) => (type === 'error' ? report(error) : draw()));
  await live.ready;
}

/** A share of the whole zone, open to those who have the link. */
async function share() {
  const shared = await board.database.saveRecords(
    {recordType: 'cloudkit.share', recordName: 'cloudkit.zoneshare', publicPermission: 'READ_WRITE'}, {zoneID: board.zoneID});
  const {records: [record]} = shared.hasErrors
    ? await board.database.fetchRecords('cloudkit.zoneshare', {zoneID: board.zoneID}) : shared;
  find('#link').textContent = `${location.origin}/?share=${record.shortGUID}`;
}

/** Takes part in the board that the page's address names. */
async function accept() {
  const shortGUID = new URLSearchParams(location.search).get('share');
  if (!shortGUID) return undefined;
  const {results: [accepted], errors} = await container.acceptShares(shortGUID);
  if (errors.length > 0) throw errors[0];
  history.replaceState(null, '', '/');
  return accepted.zoneID;
}

// MARK: Cards

/** The cards of the service, with the changes that wait for it. */
function cards() {
  const found = new Map(live.records.map((record) => [record.recordName, {...record, fields: {...record.fields}}]));
  for (const {kind, scope, record, zoneID} of kept) {
    if (scope !== board.database.databaseScope || zoneID.ownerRecordName !== board.zoneID.ownerRecordName) continue;
    if (kind === 'delete') found.delete(record.recordName);
    else {
      const known = found.get(record.recordName) ?? {recordName: record.recordName, fields: {}};
      found.set(record.recordName, {...known, isKept: true, fields: {...known.fields, ...record.fields}});
    }
  }
  return [...found.values()];
}

/** Keeps a change of a card until it is sent: at once, or when the service can be reached. */
async function change(card, fields) {
  const {recordName, recordChangeTag} = card;
  await queue.save(board.database, {recordType: 'Card', recordName, recordChangeTag, fields}, {zoneID: board.zoneID});
}

function drawCard(card) {
  const item = find('#card').content.cloneNode(true).firstElementChild;
  const [text, place] = [card.fields.text?.value ?? '', columns.indexOf(card.fields.column?.value)];
  const move = (column) => change(card, {column}).catch(report);
  item.dataset.name = card.recordName;
  item.classList.toggle('kept', card.isKept === true);
  const input = item.querySelector('input');
  input.value = text;
  input.addEventListener('change', () => change(card, {text: input.value}).catch(report));
  const [back, forth, remove] = item.querySelectorAll('button');
  back.disabled = place <= 0;
  forth.disabled = place === columns.length - 1;
  back.addEventListener('click', () => move(columns[place - 1]));
  forth.addEventListener('click', () => move(columns[place + 1]));
  remove.addEventListener('click', () => queue.delete(board.database, card, {zoneID: board.zoneID}).catch(report));
  return item;
}

function draw() {
  // A change that was kept before may be sent before the board is open.
  if (live === undefined) return;
  const all = cards();
  for (const column of columns) {
    const items = all.filter(({fields}) => (fields.column?.value ?? 'todo') === column).map(drawCard);
    const list = find(`[data-column=${column}] ol`);
    // A field that is being written in stays: the change is sent with it.
    if (!list.contains(document.activeElement) || document.activeElement.tagName !== 'INPUT') list.replaceChildren(...items);
  }
  find('#waiting').textContent = `${kept.length} to send`;
  find('#waiting').hidden = kept.length === 0;
}

async function redraw() {
  kept = await queue.pending();
  draw();
}

/** Asks which of two texts stays; a change of another field needs no question. */
function decide({kind, mine, theirs}) {
  if (!theirs) return kind === 'delete' ? 'theirs' : 'mine';
  if (kind === 'delete' || !mine.fields.text || mine.fields.text.value === theirs.fields.text?.value) return 'mine';
  find('#mine').textContent = mine.fields.text.value;
  find('#theirs').textContent = theirs.fields.text.value;
  find('#conflict').hidden = false;
  return new Promise((resolve) => {
    for (const answer of ['mine', 'theirs']) {
      find(`#keep-${answer}`).onclick = () => { find('#conflict').hidden = true; resolve(answer); };
    }
  });
}

// MARK: Pushes

/** Notifies of each change of the shown board that others make, with the page open or closed. */
async function notify() {
  const registration = await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  if (await Notification.requestPermission() !== 'granted') throw new Error('The browser does not allow notifications.');
  const notificationInfo = {title: board.name, alertBody: 'A card has changed', shouldBadge: true};
  const subscription = board.database.isPrivate
    ? {subscriptionID: 'board', subscriptionType: 'zone', zoneID: board.zoneID, notificationInfo}
    : {subscriptionID: 'boards', subscriptionType: 'database', recordType: 'Card', notificationInfo};
  const {errors} = await board.database.saveSubscriptions(subscription);
  if (errors.length > 0) throw errors[0];
  await container.subscribeToPush(registration);
  // Closes what was read on another device.
  await container.registerForNotifications();
  find('#push').disabled = true;
}

// MARK: Start

on('#boards', 'change', ({target}) => open(target.value));
on('#share', 'click', share);
on('#push', 'click', notify);
on('#add', 'submit', async ({target}) => {
  const text = target.elements.text.value;
  target.reset();
  await change({}, {text, column: 'todo'});
});

async function start() {
  const user = await container.setUpAuth() ?? await container.whenUserSignsIn();
  find('#user').textContent = user.nameComponents?.givenName ?? '';
  queue = container.offlineQueue({onConflict: decide, onError: ({error}) => report(error)});
  queue.subscribe(redraw);
  const shared = await accept();
  await findBoards();
  const index = boards.findIndex(({zoneID}) => shared && zoneID.ownerRecordName === shared.ownerRecordName);
  await open(Math.max(0, index));
  await redraw();
  find('#board').hidden = false;
  await container.whenUserSignsOut();
  location.reload();
}

start().catch(report);
