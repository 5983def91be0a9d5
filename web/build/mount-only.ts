import type { Plugin } from 'vite'

const HYDRATION = /\/svelte\/src\/internal\/client\/dom\/hydration\.js$/
const FLAGS = /\/svelte\/src\/internal\/flags\/index\.js$/
/** Loaded by a component that needs what is left out here. */
const OTHER_MODES = /\/svelte\/src\/internal\/flags\/(legacy|async)\.js$/
const SLOTS = /\$\$props\.\$\$slots|\$\.(slot|sanitize_slots)\(/

/** What Svelte writes into each component, and what is left of it when nothing is taken over. */
const IN_COMPONENTS: [RegExp, string][] = [
  [/^\s*\$\.(?:reset|next)\(.*\);$/gm, ''],
  // Only slots of Svelte 4 ask for them.
  [/,\n\s*\$\$slots: \{[^{}]*\}(?=\n)/g, ''],
  [/'\$\$slots',\s*'\$\$events',\s*'\$\$legacy',?\s*/g, ''],
  [/\$\.push\(\$\$props, true\)/g, '$.push($$$$props)'],
  [/var (\w+) = (\$\.text\(.*\)|root\w*\(\));\s*\$\.append\((\$\$anchor\w*), \1\);/g, '$.append($3, $2);'],
]

/** Its lines are those of the source, and a space to whoever reads it. */
const TEMPLATE = /\$\.from_html\(\s*`[^`]*`/g

/**
 * Tells the bundler what it does not find out by itself: this app takes over no HTML that a server has made, and none of
 * its components is written as for Svelte 4. All that Svelte has for such apps, in each component too, is left out then:
 * 4 kB.
 */
export function mountOnly(): Plugin {
  return {
    name: 'mount-only',
    apply: 'build',
    transform(code, id) {
      if (OTHER_MODES.test(id)) throw new Error(`${id} is loaded: a component needs what is left out`)
      if (HYDRATION.test(id)) return leaveOut(code)
      if (FLAGS.test(id))
        return code
          .replaceAll(/export let (\w+) = false/g, 'export const $1 = false')
          .replaceAll(/^\t\w+ = (true|false);$/gm, '')
      if (!id.endsWith('.svelte')) return undefined
      if (SLOTS.test(code)) throw new Error(`${id} has slots`)
      return IN_COMPONENTS.reduce((text, [from, to]) => text.replaceAll(from, to), code).replaceAll(TEMPLATE, (html) =>
        /<(pre|textarea)/.test(html) ? html : html.replaceAll(/\s*\n\s*/g, ' '),
      )
    },
  }
}

/** Svelte guards all of it by this variable, so that it can be left out. */
function leaveOut(code: string): string {
  const constant = code
    .replace('export let hydrating = false;', 'export const hydrating = false;')
    .replace(/(?<=export function set_hydrating\(value\) \{).*?(?=\n\})/s, '')
  if (/let hydrating|hydrating = value/.test(constant)) throw new Error('hydration of Svelte is another one now')
  return constant
}
