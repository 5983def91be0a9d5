export interface Allowed {
  elements: string[]
  attributes: string[]
}

/**
 * The browser's own sanitizer, which TypeScript does not know yet; it always removes scripts and `javascript:` URLs.
 */
type Sanitizing = HTMLElement & { setHTML?: (html: string, options: { sanitizer: Allowed }) => void }

// In browsers without `setHTML`, the module loads DOMPurify before any text is shown.
const isNative = 'setHTML' in Element.prototype
const { default: DOMPurify } = isNative ? { default: undefined } : await import('dompurify')

/** A document without a window, so that parsed HTML does not load images */
const inert = document.implementation.createHTMLDocument('')

/** Parses HTML in an inert document and removes everything that is not allowed. */
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
