import highsModule from 'highs'
import type { LinearModel } from './linear-model.ts'

/** The package's types describe its CommonJS form, in which the loader is a member; as a module it is the loader itself. */
const loadHighs = highsModule as unknown as typeof highsModule.default

/** Time for a model, seconds; the best solution until then counts. */
const timeLimit = 20

/**
 * How far from the optimum a solution with whole numbers may be: a share of the cost, or hundredths of money. Without the second,
 * a day that costs next to nothing is solved for a long time.
 */
const gaps = { mip_rel_gap: 0.001, mip_abs_gap: 0.2 }

/** Solves a model: returns the value of each column. */
export type Solve = (model: LinearModel) => Promise<Float64Array>

/** Loads the solver, which takes 60 MiB, into this thread. Its solving blocks the thread. */
export async function loadSolver(): Promise<(model: LinearModel) => Float64Array> {
  const highs = await loadHighs()
  return ({ integrality, ...linear }) =>
    highs.withModel((solver) => {
      solver.options.set({ output_flag: false, time_limit: timeLimit, ...gaps })
      const isMixed = integrality.includes(1)
      solver.passModel(isMixed ? Object.assign(linear, { integrality: Int32Array.from(integrality) }) : linear)
      const { modelStatus } = solver.run()
      const { modelStatus: status, solutionStatus } = highs.constants
      const isFound =
        modelStatus === status.optimal ||
        (modelStatus === status.timeLimit && solver.info.get('primal_solution_status') === solutionStatus.feasible)
      if (!isFound) throw new Error(`the solver ended with status ${modelStatus}`)
      return solver.getSolution().colValue
    })
}
