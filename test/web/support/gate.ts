/** Returns a promise and the function that resolves it, like `Promise.withResolvers`, which Node.js 20 lacks. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
