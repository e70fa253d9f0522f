"""set_row.py FROM.npz TO.npz TENSOR ROW VALUE: the checkpoint with a row (-1: the last, all: every one) of one number."""
import io
import sys
import zipfile

import numpy

source, target, tensor, row, value = sys.argv[1:]
with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
    for name in old.namelist():
        data = old.read(name)
        if name == tensor + ".npy":
            array = numpy.load(io.BytesIO(data))
            array[slice(None) if row == "all" else int(row)] = float(value)
            out = io.BytesIO()
            numpy.save(out, array)
            data = out.getvalue()
        new.writestr(name, data)
