import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Plugin } from 'vite'

const { resolve } = createRequire(import.meta.url)

type Shape = [element: string, attributes: Record<string, string>]

const ICON = /^@lucide\/svelte\/icons\/[\w-]+$/
/** Before the file of an icon: nobody else shall load it, or take it for a dependency to be bundled before. */
const MARK = '\0drawn:'
const SAME = /export \{ default \} from "(?<file>\.\/[\w-]+\.svelte)"/
const DATA = /const iconData = (?<json>.*);/

/**
 * Makes of each icon of Lucide one path, which `parts/icon.svelte` draws. Lucide's own components put each shape together
 * when they are shown, with much that is not used here: 3 kB of the whole app.
 * @param helper the module that has `draw`
 */
export function drawnIcons(helper: string): Plugin {
  return {
    name: 'drawn-icons',
    enforce: 'pre',
    resolveId: (source) => (ICON.test(source) ? MARK + resolve(source) : undefined),
    load(id) {
      if (!id.startsWith(MARK)) return undefined
      const file = id.slice(MARK.length)
      const component = SAME.exec(readFileSync(file, 'utf8'))?.groups?.file
      const source = component && readFileSync(path.join(path.dirname(file), component), 'utf8')
      const json = source && DATA.exec(source)?.groups?.json
      if (!json) throw new Error(`${file} is no icon as they were`)
      const { node, size } = JSON.parse(json) as { node: Shape[]; size: number }
      if (size !== 24) throw new Error(`${file} is of another size`)
      const drawing = node.map(strokeOf).join('')
      return `import { draw } from ${JSON.stringify(helper)}\nexport default /* @__PURE__ */ draw(${JSON.stringify(drawing)})`
    },
  }
}

/** A shape as what is drawn in a path that may have begun with others. */
function strokeOf([element, { fill, ...attributes }]: Shape): string {
  const known = ['cx', 'cy', 'd', 'height', 'points', 'r', 'rx', 'ry', 'width', 'x', 'x1', 'x2', 'y', 'y1', 'y2']
  const other = Object.keys(attributes).find((name) => !known.includes(name))
  const number = (name: string) => Number(attributes[name] ?? 0)
  const [cx, cy, r] = [number('cx'), number('cy'), number('r')]
  // A dot of which the stroke leaves nothing open.
  const isOpen = fill !== undefined && !(element === 'circle' && r <= 1)
  if (other !== undefined || isOpen) throw new Error(`a ${element} with ${other ?? 'fill'} cannot be drawn`)
  switch (element) {
    case 'path':
      return (attributes.d ?? '').replace(/^m/, 'M0 0m')
    case 'line':
      return `M${number('x1')} ${number('y1')}L${number('x2')} ${number('y2')}`
    case 'polyline':
      return `M${attributes.points}`
    case 'circle':
      return `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0z`
    case 'rect':
      return rectangle(number('x'), number('y'), number('width'), number('height'), number('rx'))
    default:
      throw new Error(`a ${element} cannot be drawn`)
  }
}

function rectangle(x: number, y: number, width: number, height: number, r: number): string {
  const [across, down] = [width - 2 * r, height - 2 * r]
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`
  return `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}z`
}
