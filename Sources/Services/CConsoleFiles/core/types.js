// The record types that this browser has seen: the public API lists none; an operator's schema does.
import {here} from './router.js';
import {preference, setPreference} from './session.js';

const key = (database) => { const {container, environment} = here(); return `types.${container}/${environment}/${database}`; };

/** The record types of a database that were seen, the last one first. */
export function knownTypes(database) {
  try { return JSON.parse(preference(key(database), '[]')).filter((type) => typeof type === 'string'); } catch { return []; }
}

/** Remembers that a database has records of a type. */
export function rememberType(database, type) {
  if (!type || type === 'cloudkit.share') return;
  setPreference(key(database), JSON.stringify([type, ...knownTypes(database).filter((one) => one !== type)].slice(0, 50)));
}

/** Forgets a type. */
export const forgetType = (database, type) => setPreference(key(database), JSON.stringify(knownTypes(database).filter((one) => one !== type)));
