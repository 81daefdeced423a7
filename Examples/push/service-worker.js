// The app's worker: what the service's worker has to know, and the service's worker.
importScripts('/settings.js', '/strings.js');
self.fanfare = {name: 'Notes', icon: '/icon.png', badgeIcon: '/badge.png', strings: self.strings};
importScripts(`${self.service.url}/fanfare/service-worker.js`);
