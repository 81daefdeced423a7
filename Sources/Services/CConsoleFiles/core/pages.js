// The pages: their names in addresses, their places at the left, and whose voice they need.

/** The groups at the left, in their order. */
export const groups = ['', 'Data', 'Notifications', 'Running', 'People'];

/** All pages by name: `title`, `group`, `icon`, `voice` (`user`, `operator` or `any`), `hidden` from the left, `load()` of the module with `open(view)`. */
export const pages = {
  overview: {title: 'Overview', group: '', voice: 'any', load: () => import('../pages/overview.js')},
  records: {title: 'Records', group: 'Data', path: ['records', 'public'], voice: 'any', load: () => import('../pages/records.js')},
  zones: {title: 'Zones', group: 'Data', path: ['zones', 'private'], voice: 'any', load: () => import('../pages/zones.js')},
};
