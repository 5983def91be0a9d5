import { readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * Names the class by which a component's styles find its elements after its place among all components, `s2f`: Svelte's
 * own names, a hash each, do not compress (2 kB of the whole app).
 * @param folder where all components lie
 */
export function shortClasses(
  folder: string,
): (component: { filename: string; hash: (text: string) => string }) => string {
  const components = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.svelte'))
    .sort()
  const places = new Map(components.map((file, at) => [path.join(folder, file), at]))
  return ({ filename, hash }) => {
    const place = places.get(path.resolve(filename))
    // A component from elsewhere, or one that is new since the server of `npm run dev` began.
    return place === undefined ? `svelte-${hash(filename)}` : `s${place.toString(36)}`
  }
}
