"""One result, many faces: words say it, telling makes a document of it, faces render that; data and pictures beside."""
