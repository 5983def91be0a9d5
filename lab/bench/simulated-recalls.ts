import { default_w, forgetting_curve, fsrs } from 'ts-fsrs'
import { daysBetween } from '../../dist/src/domain/time/calendar.js'

export interface Progress {
  stability: number
  last_review: string
  next_review: string
}

export interface Recall {
  /** Interval in days */
  interval: number
  /** Recall probability after the interval of the FSRS formula, rounded to whole days and at least one day */
  wholeDays: number
  /** Recall probability on the scheduled day, which also depends on fuzz and on the intervals of the other ratings */
  scheduled: number
  /** Recall probability on the day of the review */
  forecast: number
  remembered: boolean
}

export interface Group {
  retention: number
  recalls: Recall[]
}

const CLASSES = [
  { name: '1–2 days', from: 1 },
  { name: '3–20 days', from: 3 },
  { name: 'from 21 days', from: 21 },
]

/**
 * Returns the interval and the recall probabilities of a card that is reviewed today.
 * @param desiredRetention retention from which the service computed the interval
 */
export function recallOf(progress: Progress, today: string, desiredRetention: number, remembered: boolean): Recall {
  const { stability, last_review, next_review } = progress
  const chanceAfter = (days: number) => forgetting_curve(default_w, days, stability)
  const interval = daysBetween(last_review, next_review)
  const wish = fsrs({ request_retention: desiredRetention, enable_fuzz: false })
  return {
    interval,
    wholeDays: chanceAfter(wish.next_interval(stability, 0)),
    scheduled: chanceAfter(interval),
    forecast: chanceAfter(daysBetween(last_review, today)),
    remembered,
  }
}

export function summarize(recalls: Recall[]): string[] {
  if (recalls.length === 0) return ['–', '–', '0']
  return [share(recalls, reached), share(recalls, ({ forecast }) => forecast), String(recalls.length)]
}

export function printClasses(groups: Group[]): void {
  console.log(`\n| desired | ${CLASSES.map(({ name }) => `${name}: reached | forecast | recalls`).join(' | ')} |`)
  console.log(`|---${'|---'.repeat(3 * CLASSES.length)}|`)
  for (const { retention, recalls } of groups) {
    const cells = CLASSES.flatMap((_, index) => summarize(recalls.filter((recall) => isInClass(recall, index))))
    console.log(`| ${[retention.toFixed(2), ...cells].join(' | ')} |`)
  }
}

/** Prints why the reached and the desired retention differ. Each column adds one cause to the previous column. */
export function printCosts(groups: Group[]): void {
  console.log('\n| desired | put off for | recalls | whole days | + fuzz, ratings apart | + days missed | reached |')
  console.log('|---|---|---|---|---|---|---|')
  for (const { retention, recalls } of groups) {
    for (const [index, name] of ['any', ...CLASSES.map((found) => found.name)].entries()) {
      const some = index === 0 ? recalls : recalls.filter((recall) => isInClass(recall, index - 1))
      if (some.length === 0) continue
      const cells = [
        share(some, ({ wholeDays }) => wholeDays),
        share(some, ({ scheduled }) => scheduled),
        share(some, ({ forecast }) => forecast),
        share(some, reached),
      ]
      console.log(`| ${[retention.toFixed(2), name, some.length, ...cells].join(' | ')} |`)
    }
  }
}

function isInClass({ interval }: Recall, index: number): boolean {
  return interval >= (CLASSES[index]?.from ?? 0) && interval < (CLASSES[index + 1]?.from ?? Number.POSITIVE_INFINITY)
}

function reached({ remembered }: Recall): number {
  return Number(remembered)
}

function share(recalls: Recall[], of: (recall: Recall) => number): string {
  return (recalls.reduce((sum, recall) => sum + of(recall), 0) / recalls.length).toFixed(3)
}
