// Runs before the first paint, so that nobody who has chosen a look sees the other one flash.
try {
  const { theme, textSize } = JSON.parse(localStorage.getItem('training.look') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  if (textSize === 'large' || textSize === 'larger') document.documentElement.dataset.textSize = textSize
} catch {
  // Storage is forbidden or holds something else: the system decides.
}
