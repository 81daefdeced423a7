// The app's worker: it shows pushes, by the service's worker.
importScripts('/settings.js');
self.fanfare = {name: 'Board', icon: '/icon.png', strings: {en: {FANFARE_NOTIFICATION: 'A board has changed'}}};
importScripts(`${self.service.url}/fanfare/service-worker.js`);
