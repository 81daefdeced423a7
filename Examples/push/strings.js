// The texts of the subscriptions' localisation keys, for the worker and for the page.
self.strings = {
  en: {
    NOTE_TITLE: 'A note from %@',
    STATUS_TITLE: 'Status of %@',
    TEXT: '%@',
    FANFARE_NOTIFICATION: 'Something is new in Notes',
  },
  de: {
    NOTE_TITLE: 'Eine Notiz von %@',
    STATUS_TITLE: 'Status von %@',
    TEXT: '%@',
    FANFARE_NOTIFICATION: 'Neues in Notes',
  },
};
