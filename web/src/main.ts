import './styles/tokens.css'
import './styles/base.css'
import { mount } from 'svelte'
import App from './app.svelte'
import { startRouter } from './platform/router.svelte.js'

const target = document.getElementById('app') as HTMLElement
target.replaceChildren()
startRouter()
mount(App, { target })
