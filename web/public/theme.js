// Runs before the first paint, so that the page does not flash in another theme than the chosen one.
try {
  const { theme, textSize } = JSON.parse(localStorage.getItem('training.look') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (textSize === 'large' || textSize === 'larger') document.documentElement.dataset.textSize = textSize
} catch {
  // Storage is blocked or its content invalid: the system's theme applies.
}

// Preloads the user and the files of the page while the entry chunk is loading.
try {
  const preload = (attributes) => document.head.append(Object.assign(document.createElement('link'), attributes))
  preload({ rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: 'api/auth/me' })
  const pages = JSON.parse(document.querySelector('meta[name=pages]').content)
  const [name] = location.pathname.slice(new URL(document.baseURI).pathname.length).split('/')
  for (const href of pages[name || 'heute'] ?? []) preload({ rel: 'modulepreload', crossOrigin: 'anonymous', href })
} catch {
  // The app requests them later.
}
