import { musicalKeys } from '../../../src/music/musical-keys.ts'
import { compose, type Score } from './compose.ts'
import { designStyles, furtherStyles } from './styles.data.ts'

/** The pieces the key estimator was adjusted to: each style in each key. */
export const designScores: readonly Score[] = musicalKeys.flatMap((key, number) =>
  designStyles.map((style, index) => compose(style, key, 1000 + number * 20 + index)),
)

const everyStyle = [...furtherStyles, ...designStyles]

/** The pieces set aside, half as many: other seeds, and styles the others do not have. They were never used to adjust anything. */
export const heldOutScores: readonly Score[] = musicalKeys.flatMap((key, number) =>
  [0, 1, 2, 3].map((turn) => {
    const style = everyStyle[(number * 5 + turn * 3) % everyStyle.length]
    if (style === undefined) throw new Error('there is no such style')
    return compose(style, key, 500_000 + number * 20 + turn)
  }),
)
