import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import { isSomebodyKnown } from './account/account.svelte.js'
import App from './app.svelte'
import { place, startRouter } from './platform/router.svelte.js'
import { findRoute } from './routes.js'
import { loadPage } from './shell/load-page.js'

const target = document.getElementById('app') as HTMLElement
target.replaceChildren()
startRouter()
// The page's own part comes while the service is asked who is here.
const first = findRoute(place.path)
if (first !== undefined) {
  loadPage(first.route).catch(() => {})
  if (isSomebodyKnown()) first.route.ask?.(first.params)
}
mount(App, { target })
