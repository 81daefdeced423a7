// Who speaks in this tab: a user, an operator, or both. Tokens are kept in the tab alone.

const store = (name) => { try { return JSON.parse(sessionStorage.getItem(name)); } catch { return null; } };
const listeners = new Set();

/** What `start.json` says: `build`, `readOnly`, `operators`, `containers`. Set once at the start. */
export const service = {build: '', readOnly: false, operators: {}, containers: []};

/** The container and environment of an address as `start.json` has them; undefined for unknown ones. */
export const scopeOf = ({container, environment}) =>
  service.containers.find((one) => one.container === container && one.environment === environment);

const keyOf = ({container, environment}) => `user ${container}/${environment}`;

/** The user of the tab in a scope: `{name, userRecordName, token, device}`, or null. */
export const userOf = (scope) => store(keyOf(scope));

/** Keeps the user of a scope; null signs out in this tab. */
export function setUser(scope, user) {
  if (user) sessionStorage.setItem(keyOf(scope), JSON.stringify(user));
  else sessionStorage.removeItem(keyOf(scope));
  announce();
}

/** Replaces the token of a scope's user by a fresher one. */
export function renewUser(scope, token) {
  const user = userOf(scope);
  if (user && user.token !== token) sessionStorage.setItem(keyOf(scope), JSON.stringify({...user, token}));
}

/** The operator of the tab: `{name, role, rights, token}`, or null. */
export const operator = () => store('operator');

/** Keeps the operator; null signs out in this tab. */
export function setOperator(value) {
  if (value) sessionStorage.setItem('operator', JSON.stringify(value));
  else sessionStorage.removeItem('operator');
  announce();
}

/** Until when production is unlocked in this tab, in ms; 0 where it is locked. */
export const unlockedUntil = () => { const end = Number(sessionStorage.getItem('unlocked') ?? 0); return end > Date.now()
  ? end : 0; };

/** Unlocks production for 15 minutes, or locks it. */
export function unlock(open) {
  sessionStorage.setItem('unlocked', open ? Date.now() + 900000 : 0);
  announce();
}

/** Whether the service has all of these operator's routes. */
export const has = (routes = []) => routes.every((route) => service.operators?.routes?.includes(route));

/** Calls `action` when a voice or the lock has changed; answers a function that ends this. */
export function onVoices(action) { listeners.add(action); return () => listeners.delete(action); }

/** Calls all who want to know of a change of the voices. */
export const announce = () => listeners.forEach((action) => action());

/** A preference of this browser. */
export const preference = (name, otherwise) => localStorage.getItem(`fanfare.${name}`) ?? otherwise;

/** Keeps a preference of this browser. */
export const setPreference = (name, value) => localStorage.setItem(`fanfare.${name}`, value);
