/** Name of the company and URL of its logo; empty if not configured. The service writes both into the page. */
export const company = { name: read('company'), logo: read('company-logo') }

/** Returns the title of the window. @example windowTitle('Heute') // 'Heute · Training · Muster GmbH' */
export function windowTitle(page: string): string {
  return [page, 'Training', company.name].filter(Boolean).join(' · ')
}

function read(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? ''
}
