"Old names, for the time of the move."
from nbrobust.bayes.counts import *
from nbrobust.bayes.counts import domain_and_counts as _domain_and_counts
from nbrobust.bayes.worlds import possible_worlds
from nbrobust.tables.bins import *
from nbrobust.tables.bins import numbers as _numbers
from nbrobust.tables.codes import *
from nbrobust.tables.codes import in_order as _in_order, missing_set as _tokens, plain_value as _plain, sorted_classes as _sorted_classes
from nbrobust.tables.read import *
from nbrobust.tables.read import array_of_frame_column as _array_of_frame_column, is_frame as _is_frame, label_column as _label_column, objects as _objects
from nbrobust.words import some as _some
