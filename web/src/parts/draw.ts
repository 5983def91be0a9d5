import type { Component } from 'svelte'
import Icon from './icon.svelte'

/** What an icon can be told. */
export interface IconProps {
  size?: number
  strokeWidth?: number
}

/** A component that draws this; the build makes each icon by it (`web/build/drawn-icons.ts`). */
export const draw =
  (drawing: string): Component<IconProps> =>
  (internals, props) =>
    // What the props are may change: they are asked through it.
    Icon(internals, Object.create(props, { drawing: { value: drawing } }))
