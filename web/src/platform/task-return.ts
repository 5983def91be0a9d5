import { place } from './router.svelte.js'

/** Returns the id of the task for which the page was opened, from `?aufgabe=`; undefined without a task. */
function currentTaskId(): string | undefined {
  return /^\d{1,10}$/.exec(place.query.get('aufgabe') ?? '')?.[0]
}

/** Returns a query such as `?aufgabe=12`, which passes the task to the next page; an empty string without a task. */
export function taskQuery(): string {
  const id = currentTaskId()
  return id === undefined ? '' : `?aufgabe=${id}`
}

/** Returns the address to return to, such as `aufgaben#aufgabe-12`; undefined without a task. */
export function taskAddress(): string | undefined {
  const id = currentTaskId()
  return id && `aufgaben#aufgabe-${id}`
}
