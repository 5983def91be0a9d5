/** Elements and attributes that may pass; everything else goes. */
export interface Allowed {
  elements: string[]
  attributes: string[]
}

/** The browser's own sanitizer, which TypeScript does not know yet; it drops scripts and `javascript:` in any case. */
type Sanitizing = HTMLElement & { setHTML?: (html: string, options: { sanitizer: Allowed }) => void }

// A browser without one loads its stand-in, before any text is shown.
const isNative = 'setHTML' in Element.prototype
const { default: DOMPurify } = isNative ? { default: undefined } : await import('dompurify')

/** Its images are not asked for before somebody has looked at where they come from. */
const inert = document.implementation.createHTMLDocument('')

/** HTML as nodes of a document that is not shown, of which only harmless ones are left. */
export function sanitize(html: string, { elements, attributes }: Allowed): DocumentFragment {
  if (DOMPurify !== undefined) {
    return DOMPurify.sanitize(html, {
      ALLOWED_TAGS: elements,
      ALLOWED_ATTR: attributes,
      ALLOW_DATA_ATTR: false,
      ALLOW_ARIA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    })
  }
  const holder: Sanitizing = inert.createElement('div')
  holder.setHTML?.(html, { sanitizer: { elements, attributes } })
  const content = inert.createDocumentFragment()
  content.append(...holder.childNodes)
  return content
}
