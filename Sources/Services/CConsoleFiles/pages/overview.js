// The first page: a welcome, or what the user has and the service does.
import {part, signIn} from '../core/frame.js';
import {has, operator} from '../core/session.js';
import {texts} from '../core/texts.js';
import {button, fill, h, skeleton} from '../core/view.js';

/** Opens the page. */
export function open(view) {
  const {container, environment} = view.route;
  const body = h('div', {class: 'page'});
  const service = h('div', {hidden: true});
  let redraw = () => {};
  fill(view.root, h('div', {class: 'page-head'}, view.title(texts.overview), button('', {icon: 'refresh', label: texts.readAgain},
    () => redraw())), service, body);
  if (operator() && has(['overview'])) part(import('../core/system.js'), ({systemCard}) => service.replaceWith(systemCard(view)));
  if (view.user()) {
    fill(body, skeleton());
    return part(import('../core/home.js'), ({home}) => { redraw = home(view, body); });
  }
  return fill(body, h('section', {class: 'card'}, h('h2', null, texts.welcomeTo(container.replace(/^iCloud\./, ''))),
    h('p', {class: 'lead'}, environment === 'development'
      ? texts.inDevelopment
      : texts.signInWith),
    h('div', {class: 'row'}, button(texts.signIn, {kind: 'main', icon: 'users'}, () => signIn('user')))));
}
