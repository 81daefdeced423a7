// How values of fields are shown, and how texts become values again.
import {plain, marked, grouped, utc, absent} from './text.js';

/** A number of bytes for people. */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${['KiB', 'MiB', 'GiB', 'TiB'][power - 1]}`;
}

const hex = (base64) => {
  try { return [...atob(base64.slice(0, 12))].slice(0, 8).map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
    } catch { return ''; }
};
const bytesOf = (base64) => Math.floor(base64.replace(/=+$/, '').length * 3 / 4);

/** The kind of a field: its type without list and lock. */
export const kind = (field) => (field.type ?? (Array.isArray(field.value) ? 'STRING_LIST'
  : 'STRING')).replace(/^ENCRYPTED_/, '').replace('ASSETID', 'ASSET');

function one(type, value, most) {
  switch (type) {
    case 'INT64': return grouped(value);
    case 'TIMESTAMP': return utc(value);
    case 'REFERENCE': return `→ ${plain(value.recordName, most)}`;
    case 'LOCATION': return `${value.latitude}, ${value.longitude}`;
    case 'BYTES': return `${size(bytesOf(value))}  ${hex(value)}`;
    case 'ASSET': return `${size(Number(value.size ?? 0))}  ${String(value.fileChecksum ?? '').slice(0, 10)}`;
    default: return value === '' ? '""' : typeof value === 'object' ? plain(JSON.stringify(value), most)
      : plain(String(value), most);
  }
}

/** A field's value as a text for people, of about `most` characters. */
export function shown(field, most = 200) {
  if (field?.value === undefined || field.value === null) return '–';
  const type = kind(field);
  if (!Array.isArray(field.value)) return one(type, field.value, most);
  const parts = field.value.slice(0, 3).map((value) => one(type.replace(/_LIST$/, ''), value, 60));
  return field.value.length > 3 ? `${parts.join(', ')} … ${grouped(field.value.length)}` : field.value.length
    ? parts.join(', ') : '[]';
}

/** A field's value as a node for a cell. */
export function cell(field) {
  if (field?.value === undefined || field.value === null) return absent();
  const lock = field.isEncrypted ? '🔒 ' : '';
  if (kind(field) === 'STRING' && field.value !== '' && typeof field.value === 'string'
    && !lock) return marked(field.value, 200);
  return document.createTextNode(lock + shown(field));
}

/** Whether a type's values stand at the right. */
export const right = (type) => /^(ENCRYPTED_)?(INT64|DOUBLE)$/.test(type ?? '');

/** A field's value as text for copying: exact. */
export function exact(field) {
  if (field?.value === undefined || field.value === null) return '';
  return typeof field.value === 'object' ? JSON.stringify(field.value) : String(field.value);
}

/** The column at which a predicate's error is, from 1; undefined where the reason names none. */
export const columnOf = (reason) => { const found = /column (\d+)/.exec(reason ?? ''); return found ? Number(found[1])
  : undefined; };
