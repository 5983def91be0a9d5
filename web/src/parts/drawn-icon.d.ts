import type { Component } from 'svelte'
import type { IconProps } from './draw.js'

/** What `@lucide/svelte/icons/…` is in this app: `web/build/drawn-icons.ts` makes it. */
declare const DrawnIcon: Component<IconProps>
export default DrawnIcon
