// Runs before the first paint, so that nobody who has chosen a look sees the other one flash.
try {
  const { theme, textSize } = JSON.parse(localStorage.getItem('training.look') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (textSize === 'large' || textSize === 'larger') document.documentElement.dataset.textSize = textSize
} catch {
  // Storage is forbidden or holds something else: the system decides.
}

// What the page will ask for first is on its way while the start is still being loaded.
try {
  const preload = (attributes) => document.head.append(Object.assign(document.createElement('link'), attributes))
  preload({ rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: 'api/auth/me' })
  const { files, parts } = JSON.parse(document.querySelector('meta[name=parts]')?.content ?? '{"parts":{}}')
  const path = location.pathname.slice(new URL(document.baseURI).pathname.length - 1)
  for (const at of parts[path] ?? parts[path.replace(/[^/]+$/, '*')] ?? []) {
    preload({ rel: 'modulepreload', crossOrigin: 'anonymous', href: files[at] })
  }
} catch {
  // Then it asks later.
}
