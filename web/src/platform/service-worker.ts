import { isOwn } from './own-response.js'
import { TAKE_OVER_MS } from './worker-times.js'

/** The only script URL that the Trusted Types policy allows */
const ADDRESS = new URL('sw.js', document.baseURI).href

interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string
  }
}

let registration: ServiceWorkerRegistration | undefined
/** Ends with the registration, also if it fails */
let registering: Promise<void> | undefined
/**
 * Whether another service worker is about to take over this page. In Chrome it does not if the page registers a service
 * worker meanwhile.
 */
let isTakenOver = false

/**
 * Registers the service worker, which lets the app start offline. Does nothing during development, and in an insecure
 * context, where browsers do not offer service workers.
 */
export async function registerWorker(): Promise<void> {
  if (!import.meta.env.PROD || navigator.serviceWorker === undefined || isTakenOver) return
  registering ??= register()
  await registering
}

async function register(): Promise<void> {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes
  try {
    const policy = factory?.createPolicy('service-worker', {
      createScriptURL: (url) => {
        if (url !== ADDRESS) throw new TypeError(url)
        return url
      },
    })
    registration = await navigator.serviceWorker.register(policy?.createScriptURL(ADDRESS) ?? ADDRESS, {
      updateViaCache: 'none',
    })
  } catch {
    // Registration is forbidden, or the service is unreachable. The app works without the service worker.
  }
}

/**
 * Returns whether the service has another version of the app. If so, fetches the service worker of that version.
 * Returns false if the response is not a page of the service.
 * @throws TypeError if the service is unreachable or the service worker cannot be fetched
 */
export async function hasNewVersion(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  const response = await fetch(document.baseURI, { cache: 'no-cache', headers: { accept: 'text/html' } })
  if (!response.ok || !isOwn(response) || script === null) return false
  const isOther = !(await response.text()).includes(script.src.split('/').pop() as string)
  if (isTakenOver) return false
  if (isOther) await registration?.update()
  return isOther
}

/**
 * Lets the service worker that was fetched last take over this page, so that the page can be loaded again. One that still
 * installs goes before one that waits, which may be of another language.
 * @throws Error if the service worker cannot be installed, such as after a lost connection
 */
export async function takeNewVersion(): Promise<void> {
  const { installing, waiting } = registration ?? {}
  const next = installing == null ? waiting : await whenInstalled(installing)
  if (next == null) return
  await new Promise<void>((resolve) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
    // Chrome may postpone it for minutes, such as when another tab registers its service worker.
    setTimeout(resolve, TAKE_OVER_MS)
    next.postMessage('take over')
  })
}

/**
 * Fetches the service worker that the service now has for this browser, such as that of another language, and lets it
 * take over this page.
 * @throws Error under the conditions of `takeNewVersion`, TypeError if the service is unreachable
 */
export async function takeOtherVersion(): Promise<void> {
  isTakenOver = true
  try {
    await registering
    registration ??= await navigator.serviceWorker?.getRegistration()
    await registration?.update()
    await takeNewVersion()
  } catch (error) {
    isTakenOver = false
    throw error
  }
}

/** Returns the service worker once it waits; undefined if it is active already. */
async function whenInstalled(worker: ServiceWorker): Promise<ServiceWorker | undefined> {
  if (worker.state === 'installing') {
    await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }))
  }
  if (worker.state === 'redundant') throw new Error('the service worker was not installed')
  return worker.state === 'installed' ? worker : undefined
}
