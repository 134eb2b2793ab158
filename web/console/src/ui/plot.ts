/** The library of charts, in a file of its own. */
import Plot from 'uplot';

export { Plot };
