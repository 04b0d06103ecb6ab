import './progress.css'

/** A bar from 0 to 100; without a value something moves in it, because nobody knows how far it is. */
export function Bar({ label, value, text }: { label: string; value: number | undefined; text?: string }) {
  return <progress className="bar" aria-label={label} aria-valuetext={text} max={100} value={value} />
}
