// The record types and fields that this browser has seen: the public API lists none; an operator's schema does.
import {here} from './router.js';
import {preference, setPreference} from './session.js';

// The key of a database's types in the browser's preferences.
function key(database) {
  const {container, environment} = here();
  return `types.${container}/${environment}/${database}`;
}

// Types and fields have any names, `constructor`, too: the objects inherit nothing.
function read(database) {
  const all = Object.create(null);
  try {
    for (const [type, fields] of Object.entries(JSON.parse(preference(key(database), '{}')))) {
      all[type] = Object.assign(Object.create(null), fields);
    }
  } catch { /* Another build kept another form. */ }
  return all;
}

/** The record types of a database that were seen, the last one first. */
export const knownTypes = (database) => Object.keys(read(database));

/** The fields of a type that were seen, with their types: `{title: 'STRING'}`. */
export const knownFields = (database, type) => read(database)[type] ?? Object.create(null);

/** Remembers that a database has records of a type, with at most 200 of its fields. */
export function rememberType(database, type, fields = {}) {
  if (!type) return;
  const all = read(database);
  const known = Object.entries({...fields, ...all[type], ...fields}).slice(0, 200);
  const next = Object.entries({...all, [type]: Object.fromEntries(known)});
  const value = JSON.stringify(Object.fromEntries(next.slice(-50)));
  if (value !== preference(key(database))) setPreference(key(database), value);
}

/** The fields that may refer to a record: pairs of type and field. */
export const referring = (database) => Object.entries(read(database)).flatMap(([type, fields]) =>
  Object.entries(fields).filter(([, kind]) => /^REFERENCE/.test(kind)).map(([field, kind]) => [type, field, kind]));
