//! Assets: `mesh`, `hfield`, `skin`, `texture`, `material`, `model`.

use super::plugin::PluginUse;
use super::words::*;

elements! {
    /// `<mesh>`: a triangle mesh, from a file, from numbers or built in.
    Mesh {
        name: name (nodefault), "Name; the file's name without extension if absent.";
        class: class (nodefault), "Default class.";
        content_type: text (nodefault), "Media type of the file.";
        file: file (nodefault), "File: STL, OBJ or MSH.";
        vertex: real[..] (nodefault), "Vertices, three numbers each (m).";
        normal: real[..] (nodefault), "Vertex normals, three numbers each.";
        texcoord: real[..] (nodefault), "Texture coordinates, two numbers each.";
        face: int[..] (nodefault), "Faces, three vertex indices each.";
        refpos: real[3] (nodefault) = [0.0, 0.0, 0.0], "Position that becomes the origin (m).";
        refquat: real[4] (nodefault) = [1.0, 0.0, 0.0, 0.0], "Orientation that becomes the identity.";
        scale: real[3] = [1.0, 1.0, 1.0], "Scale along the axes; negative values mirror.";
        smoothnormal: bool (nodefault) = false, "Smooth the normals of sharp edges.";
        maxhullvert: int = -1, "Most vertices of the convex hull; -1 is no limit.";
        inertia: key<MeshInertia> = MeshInertia::Legacy, "How mass and inertia are computed.";
        builtin: key<MeshBuiltin> (nodefault) = MeshBuiltin::None, "Procedural mesh.";
        params: real[..] (nodefault), "Parameters of the procedural mesh.";
        material: ref<material> (nodefault), "Material of geoms that use the mesh and have none.";
    } with {
        /// The plugin that gives its shape.
        plugin: Option<Box<PluginUse>>,
        /// Linear map of the vertices behind `scale`, row by row, of frames that stretch the mesh not along its own axes.
        stretch: Option<[f64; 9]>,
    }

    /// `<hfield>`: a height field.
    Hfield {
        name: name, "Name; the file's name without extension if absent.";
        content_type: text, "Media type of the file.";
        file: file, "File: PNG or MuJoCo's binary format.";
        nrow: int = 0, "Rows, at least 2 if there is no file.";
        ncol: int = 0, "Columns, at least 2 if there is no file.";
        size: real[4] (required), "Half size in x and y, height, depth of the base (m).";
        elevation: real[..], "Heights, row by row from the top of the picture.";
    }

    /// `<skin>`: a deformable skin, which has no effect on the physics.
    Skin {
        name: name, "Name; the file's name without extension if absent.";
        file: file, "File in MuJoCo's skin format.";
        material: ref<material>, "Material.";
        rgba: real[4] = [0.5, 0.5, 0.5, 1.0], "Colour.";
        inflate: real = 0.0, "Offset of vertices along their normals (m).";
        vertex: real[..], "Vertices, three numbers each (m).";
        texcoord: real[..], "Texture coordinates, two numbers each.";
        face: int[..], "Faces, three vertex indices each.";
        group: int = 0, "Group for drawing, 0 to 5.";
    } with {
        /// The bones, which are bodies.
        bones: Vec<Bone>,
    }

    /// `<bone>` of a skin.
    Bone {
        body: ref<body> (required), "Body of the bone.";
        bindpos: real[3] (required), "Position of the body when bound (m).";
        bindquat: real[4] (required), "Orientation of the body when bound.";
        vertid: int[..] (required), "Vertices the bone moves.";
        vertweight: real[..] (required), "Weight of each of them.";
    }

    /// `<texture>`: a picture, from files or built in.
    Texture {
        name: name (nodefault), "Name; the file's name without extension if absent.";
        class: class (nodefault), "Default class.";
        type_: key<TextureType> = TextureType::Cube, "Flat, wrapped around, or sky.";
        colorspace: key<ColorSpace> = ColorSpace::Auto, "Colour space of the pixels.";
        content_type: text (nodefault), "Media type of the file.";
        file: file (nodefault), "File: PNG or MuJoCo's binary format.";
        embed: key<Tri> = Tri::Auto, "Read the pixels into the model, keep the path, or as `passthrough` says.";
        gridsize: int[2] = [1, 1], "Rows and columns of a grid of cube faces in one file.";
        gridlayout: text, "Which face each cell of the grid is: R L U D F B, or a dot.";
        fileright: file (nodefault), "File of the right face.";
        fileleft: file (nodefault), "File of the left face.";
        fileup: file (nodefault), "File of the upper face.";
        filedown: file (nodefault), "File of the lower face.";
        filefront: file (nodefault), "File of the front face.";
        fileback: file (nodefault), "File of the back face.";
        builtin: key<TextureBuiltin> = TextureBuiltin::None, "Procedural texture.";
        rgb1: real[3] = [0.8, 0.8, 0.8], "First colour of the procedural texture.";
        rgb2: real[3] = [0.5, 0.5, 0.5], "Second colour of the procedural texture.";
        mark: key<Mark> = Mark::None, "Marks on the procedural texture.";
        markrgb: real[3] = [0.0, 0.0, 0.0], "Colour of the marks.";
        random: real = 0.01, "Probability of a random dot.";
        width: int = 0, "Width of the procedural texture (pixels).";
        height: int = 0, "Height of the procedural texture (pixels).";
        hflip: bool = false, "Flip horizontally.";
        vflip: bool = false, "Flip vertically.";
        nchannel: int = 3, "Channels.";
    }

    /// `<material>`: the appearance of a surface.
    Material {
        name: name (nodefault), "Name.";
        class: class (nodefault), "Default class.";
        texture: ref<texture>, "Texture of the colour; reading turns it into a layer.";
        texrepeat: real[2] = [1.0, 1.0], "Repetitions of the texture.";
        texuniform: bool = false, "Repetitions are per unit of length, not per object.";
        emission: real = 0.0, "Emission.";
        specular: real = 0.5, "Specularity.";
        shininess: real = 0.5, "Shininess.";
        reflectance: real = 0.0, "Reflectance.";
        metallic: real = -1.0, "Metallicity; negative is unset.";
        roughness: real = -1.0, "Roughness; negative is unset.";
        rgba: real[4] = [1.0, 1.0, 1.0, 1.0], "Colour.";
    } with {
        /// The textures by role, each role once.
        layers: Vec<Layer>,
    }

    /// `<layer>` of a material.
    Layer {
        texture: ref<texture> (required), "Texture.";
        role: key<TexRole> (required), "What it is for.";
    }

    /// `<model>`: another model, to be attached.
    ModelAsset {
        name: name, "Name; the model's own name if absent.";
        file: file (required), "File.";
        content_type: text, "Media type of the file.";
    }
}
