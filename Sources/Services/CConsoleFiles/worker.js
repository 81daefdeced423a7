// The shared worker: one for all tabs of a browser, with the streams that they follow.
import {hub} from './core/stream.js';

const {follow} = hub();

self.onconnect = ({ports: [port]}) => {
  const ends = new Map();
  const stop = (id) => { ends.get(id)?.(); ends.delete(id); };
  port.onmessage = ({data}) => {
    if (data.watch) { stop(data.id);
      ends.set(data.id, follow(data.watch, (message) => port.postMessage({id: data.id, ...message})));
      } else if (data.gone) for (const id of [...ends.keys()]) stop(id);
    else stop(data.id);
  };
  port.postMessage({ready: true});
};
