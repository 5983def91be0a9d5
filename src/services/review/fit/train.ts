import { loadTrainer } from './binding.js'

/** Messages of this process: the weights, or the message of the error */
export type Fitted = { weights: number[] } | { failed: string }

// Program of the process that fits: gets reviews as CSV and sends the weights, one fit after another.
const trainer = await loadTrainer()
process.on('message', async (csv: string) => {
  // The thread that waits for the result may have ended.
  const answer = (fitted: Fitted) => process.connected && process.send?.(fitted)
  try {
    if (trainer === undefined) throw new Error('this platform has no binary of the trainer')
    answer({ weights: await trainer.fit(csv) })
  } catch (error) {
    answer({ failed: String(error) })
  }
})
