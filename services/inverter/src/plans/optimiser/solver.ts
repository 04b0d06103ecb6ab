import highsModule from 'highs'
import type { LinearModel } from './linear-model.ts'

/** The package's types describe its CommonJS form, in which the loader is a member; as a module it is the loader itself. */
const loadHighs = highsModule as unknown as typeof highsModule.default

/** Time for a model, seconds. */
const timeLimit = 20

/** Solves a model: returns the value of each column. */
export type Solve = (model: LinearModel) => Promise<Float64Array>

/** Loads the solver, which takes 60 MiB, into this thread. Its solving blocks the thread. */
export async function loadSolver(): Promise<(model: LinearModel) => Float64Array> {
  const highs = await loadHighs()
  return ({ integrality, ...linear }) =>
    highs.withModel((solver) => {
      solver.options.set({ output_flag: false, time_limit: timeLimit, mip_rel_gap: 0.0005 })
      const isMixed = integrality.includes(1)
      solver.passModel(isMixed ? Object.assign(linear, { integrality: Int32Array.from(integrality) }) : linear)
      const { modelStatus } = solver.run()
      if (modelStatus !== highs.constants.modelStatus.optimal)
        throw new Error(`the solver ended with status ${modelStatus}`)
      return solver.getSolution().colValue
    })
}
